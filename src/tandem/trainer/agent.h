// A trained agent: load it from a run, let it act, and measure how well it plays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/acting/games.h"
#include "tandem/acting/player.h"
#include "tandem/algo/algorithm.h"
#include "tandem/nn/network.h"
#include "tandem/run/evaluation.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The checkpoint of a run, and the environments to play in. Value type.
struct AgentChoice {
  std::optional<std::int64_t> checkpoint = std::nullopt;  // its steps; empty: the newest good one
  std::string device = {};                                // "cpu" or "cuda"; empty: as trained
  /// Changes of the environment's options; keys outside the table [env] are refused, since the
  /// agent cannot be changed any more.
  std::vector<Setting> env = {};
  /// Receives a message for each damaged checkpoint that is skipped.
  std::function<void(const std::string&)> on_damage = [](const std::string&) {};
};

/// A trained policy and the environments that it plays in: those of the training, but a lost life
/// does not end an episode. Movable. Not thread-safe: a thread that acts loads an agent of its own.
class Agent {
 public:
  /// Loads the agent in the folder of a run whose names are those of `catalogue`. Throws Error when
  /// there is no run or no good checkpoint, or when they do not fit this program.
  [[nodiscard]] static Agent load(const std::filesystem::path& run, const AgentChoice& choice = {},
                                  const std::shared_ptr<const Catalogue>& catalogue = published());

  /// The run's config, with the changes of the choice.
  [[nodiscard]] const Config& config() const { return config_; }
  /// The observations and actions of its environments.
  [[nodiscard]] const EnvSpec& spec() const { return spec_; }
  [[nodiscard]] std::int64_t step() const { return step_; }  // of its training
  /// The folder of the checkpoint that it was loaded from.
  [[nodiscard]] const std::filesystem::path& checkpoint() const { return checkpoint_; }
  /// The trained network, for passes of your own.
  [[nodiscard]] Network& network() { return *network_; }
  /// The algorithm that trained it, which says how to act.
  [[nodiscard]] const Algorithm& algorithm() const { return algorithm_; }

  /// Makes environments of this agent's kind; `seed` as in EnvConfig::factory.
  [[nodiscard]] EnvFactory environments(std::uint64_t seed) const {
    return config_.env.factory(seed);
  }

  /// Acts in `envs` environments of the caller at once, with a recurrent state of its own for each;
  /// drawn actions come from streams of `seed`. This agent must outlive it.
  [[nodiscard]] Player player(int envs, std::uint64_t seed = 0);

  /// Plays whole games, as `tandem eval` does.
  [[nodiscard]] Evaluation evaluate(const EvaluationOptions& options);

 private:
  Agent() = default;

  Config config_;
  EnvSpec spec_;
  std::int64_t step_ = 0;
  std::filesystem::path checkpoint_;
  std::vector<float> parameters_;  // the memory of the network's parameters
  std::unique_ptr<Network> network_;
  Algorithm algorithm_;
};

}  // namespace tandem
