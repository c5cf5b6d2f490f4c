// An Agent as Python uses it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "caller.h"
#include "environments.h"
#include "signals_blocked.h"
#include "tandem/acting/env_actions.h"
#include "tandem/base/random.h"
#include "tandem/nn/batch.h"
#include "tandem/trainer/agent.h"

namespace tandem::python {

/// Observations or states as Python gives them: row by row in the CPU's memory.
using Rows = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;
using States =
    nanobind::ndarray<const float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

/// How an agent is loaded. Value type.
struct LoadChoice {
  std::string run;    // its folder
  bool best = false;  // the checkpoint that played best in evaluations during the training
  std::optional<std::int64_t> checkpoint = {};
  std::string device;
  Options env;         // changes of the environment's options
  std::string python;  // the interpreter for environments in Python
};

/// The games to play. Value type.
struct GamesChoice {
  bool greedy = false;
  std::uint64_t seed = 0;
  std::string start = {};     // as in AgentChoice
  std::string protocol = {};  // as in AgentChoice
  std::string starts = {};    // a file of `tandem starts`; empty: games begin by a reset
};

/// A trained agent, for the Python class tandem.Agent. Observations are the environment's own; an
/// agent that was trained with env.normalise scales them itself. Each function needs the GIL and
/// releases it while the agent computes. Throws Error for bad input, for two calls at once and in a
/// forked process.
class TrainedAgent {
 public:
  explicit TrainedAgent(const LoadChoice& choice);

  [[nodiscard]] const EnvSpec& spec() const { return agent_.spec(); }
  [[nodiscard]] std::string env() const { return agent_.config().env.id; }
  /// The options with which the environment gives this agent's observations, unscaled.
  [[nodiscard]] nanobind::dict env_options() const;
  [[nodiscard]] std::int64_t step() const { return agent_.step(); }
  [[nodiscard]] std::string checkpoint() const { return agent_.checkpoint().string(); }
  [[nodiscard]] std::int64_t state_size() const { return agent_.architecture().state_size(); }
  /// The messages about damaged checkpoints that were skipped.
  [[nodiscard]] const std::vector<std::string>& damages() const { return damages_; }
  /// describe() of the agent, as JSON.
  [[nodiscard]] std::string description() const;

  /// Refuses all further calls, since the interpreter ends.
  void refuse() { occupancy_.refuse(); }
  /// Whether a call uses the agent.
  [[nodiscard]] bool used() const { return occupancy_.used(); }

  /// Begins the stream of sampled actions anew.
  void seed(std::uint64_t seed);

  /// The heads of observations [batch, ...]: (policy [batch, outputs], value [batch] or None, new
  /// state [batch, state_size] or None). Without a state, all samples begin an episode.
  nanobind::tuple heads(const Rows& observations, const std::optional<States>& state);

  /// Actions [batch] int64, from spec().first_action on, or [batch, numbers] float32, and the new
  /// state or None.
  nanobind::tuple act(const Rows& observations, const std::optional<States>& state, bool greedy);

  /// Plays whole games; `episodes` of 0 are 30, or one from each start. Returns (returns, lengths,
  /// mean, median, deviation, least, most, human-normalised score or None). A signal whose handler
  /// raises ends the games.
  nanobind::tuple evaluate(int episodes, int threads, const GamesChoice& games);

  /// Records a game. Returns (return, steps, seconds, whether the game is whole).
  nanobind::tuple record(const std::string& path, double seconds, int scale,
                         const GamesChoice& games);

 private:
  void handle_signals(SignalsBlocked& blocked) const;

  /// Fills heads_ and state_ for these observations. Needs no GIL.
  Heads forward(std::span<const std::byte> observations, std::int64_t batch,
                std::span<const float> state);
  [[nodiscard]] std::int64_t batch_of(const Rows& observations,
                                      const std::optional<States>& state) const;
  [[nodiscard]] nanobind::object state_array(std::int64_t batch) const;

  std::vector<std::string> damages_;
  Agent agent_;
  std::shared_ptr<const ObservationScale> scale_;  // null: observations are not scaled
  Occupancy occupancy_{
      "this agent belongs to another process, of which this one is a fork. Load the agent after "
      "the "
      "fork, or start processes by spawn",
      "another thread is using this agent. Let one thread at a time use it, or load an agent for "
      "each thread"};
  Stream stream_;
  HeadsBuffer heads_;
  std::vector<float> state_;
  std::vector<std::byte> scaled_;
};

}  // namespace tandem::python
