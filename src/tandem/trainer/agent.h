// A trained agent: load it from a run, let it act, and measure how well it plays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tandem/acting/games.h"
#include "tandem/acting/player.h"
#include "tandem/algo/algorithm.h"
#include "tandem/env/start_state.h"
#include "tandem/nn/network.h"
#include "tandem/run/evaluation.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The checkpoint of a run, and the environments to play in. Value type.
struct AgentChoice {
  std::optional<std::int64_t> checkpoint = std::nullopt;  // its step; empty: the newest good one
  bool best = false;        // instead: the one that played best in evaluations during the training
  std::string device = {};  // "cpu" or "cuda"; empty: as trained
  /// Changes of the environment's options. Keys outside the table [env] are refused, because a
  /// trained agent cannot be changed.
  std::vector<Setting> env = {};
  /// The start of games: "noop" is 1 to 30 no-ops, "fixed" is none; empty: as trained. Environments
  /// without no-op starts are refused.
  std::string start = {};
  /// The rules of an evaluation protocol: "noop" or "sampled_starts" (see choose_protocol); empty:
  /// as trained. `env` may change them further, but for no-ops that `start` or "noop" tell of.
  std::string protocol = {};
  /// Receives a message for each damaged checkpoint that is skipped.
  std::function<void(const std::string&)> on_damage = [](const std::string&) {};
};

/// The games in which an agent is measured. Value type.
struct AgentGames {
  int episodes = 0;           // 0: one from each of `starts`, or else as many as EvaluationOptions
  Play play = Play::sampled;  // how actions are chosen
  std::uint64_t seed = 0;     // of the games
  int threads = 0;            // that step environments; 0: as in training
  std::string start = {};     // as in AgentChoice, but empty: as the agent was loaded
  std::string protocol = {};  // likewise; its rules come after the changes of AgentChoice
  std::vector<StartState> starts = {};  // in which games begin; see starts_for()
  /// As in EvaluationOptions.
  std::function<void(int ended)> on_step = [](int /*ended*/) {};
};

/// A trained policy and the environments in which it plays. They are as in training, except that a
/// lost life does not end an episode unless FIRE begins episodes in its game. Movable. Not
/// thread-safe: each acting thread needs an agent of its own.
class Agent {
 public:
  /// Loads the agent of the run in this folder. `catalogue` must have the names in the run's
  /// config. Throws Error when there is no run or no good checkpoint, when they do not fit this
  /// program, or when config.toml has another value than the checkpoint was trained with (see
  /// require_as_trained).
  [[nodiscard]] static Agent load(const std::filesystem::path& run, const AgentChoice& choice = {},
                                  const std::shared_ptr<const Catalogue>& catalogue = published());

  /// The run's config, with the changes of the choice.
  [[nodiscard]] const Config& config() const { return config_; }
  /// The observations and actions of its environments.
  [[nodiscard]] const EnvSpec& spec() const { return spec_; }
  [[nodiscard]] std::int64_t step() const { return step_; }  // steps of its training
  /// The folder of the checkpoint that it was loaded from.
  [[nodiscard]] const std::filesystem::path& checkpoint() const { return checkpoint_; }
  /// The trained network, for your own forward passes.
  [[nodiscard]] Network& network() { return *network_; }
  /// The architecture of this network.
  [[nodiscard]] const Architecture& architecture() const { return network_->architecture(); }
  /// The algorithm that trained it, with its rule for choosing actions.
  [[nodiscard]] const Algorithm& algorithm() const { return algorithm_; }

  /// The parameters, in the order of the architecture's flat buffer.
  [[nodiscard]] std::span<const float> parameters() const { return parameters_; }

  /// The environment's config for games by these rules, which are as in AgentGames.
  [[nodiscard]] EnvConfig environment(const std::string& start,
                                      const std::string& protocol = {}) const;

  /// Makes environments of this agent's kind; `seed` as in EnvConfig::factory.
  [[nodiscard]] EnvFactory environments(std::uint64_t seed) const {
    return config_.env.factory(seed);
  }

  /// Makes a player for `envs` environments that the caller steps. Each environment has its own
  /// recurrent state; sampled actions come from streams of `seed`. The agent must outlive the
  /// player.
  [[nodiscard]] Player player(int envs, std::uint64_t seed = 0);

  /// Plays whole games, as `tandem eval` does. Throws Error when an environment fails, a game does
  /// not end (see most_game_steps) or a start is of another environment.
  [[nodiscard]] Evaluation evaluate(const AgentGames& games);

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
