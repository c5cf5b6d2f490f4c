#include "tandem/trainer/training_evaluation.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/base/random.h"
#include "tandem/base/streams.h"
#include "tandem/nn/make_network.h"
#include "tandem/sync/cores.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/whole_games.h"

namespace tandem {
namespace {

constexpr std::int64_t kLooks = 100;  // at the return, where run.evaluate_steps does not say

std::uint64_t seed_of(const RunConfig& run) {
  Stream stream(static_cast<std::uint64_t>(run.seed), streams::kEvaluation.id());
  const std::uint64_t high = stream.bits();
  return high << 32 | stream.bits();
}

/// The parts that play. Constant once it is made, so that any thread may use it.
struct GameParts {
  int episodes = 0;
  Play play = Play::sampled;
  std::uint64_t seed = 0;       // of the environments' streams
  std::int64_t most_steps = 0;  // of a game; 0: no limit
  EnvFactory beside;            // environments while the training runs
  EnvFactory after;             // environments when it has ended
  Algorithm algorithm;
  Architecture architecture;
  std::string device;
  Precision precision;
};

/// The environments of training with the start that the config asks for.
EnvConfig environments_of(const Config& config, bool beside) {
  auto own = config.own_copy().env;
  play_whole_games(own);
  const auto& start = config.run.evaluate_start;
  if (start != "trained") choose_start(own, start, "run.evaluate_start = " + start);
  for (const auto& field : own.fields()) {
    // Several processes would compute more beside the training than the throttle sees.
    if (beside && own.family->makes_groups() && field.key == "workers") {
      set_field(field, std::int64_t{1});
    }
  }
  return own;
}

/// The protocol of the games: without exploration where actors explore and one evaluation ends the
/// run. A user who asks for a number of evaluations chooses the protocol, too.
std::string protocol_of(const Config& config) {
  const bool explores = config.algorithm().info().traits.explores();
  const bool chosen = config.run.until_evaluations > 0;
  return explores && !chosen && ends_by_evaluation(config) ? "greedy"
                                                           : config.run.evaluate_protocol;
}

/// The threads that the run may keep busy at once.
int busy_threads(const RunConfig& run) {
  const auto cores = std::max<std::size_t>(1, usable_cores().size());
  return std::min(run.thread_budget(), static_cast<int>(cores));
}

}  // namespace

std::int64_t awaited_evaluations(const Config& config) {
  if (config.run.until_return >= kNoReturn) return 0;
  if (config.run.until_evaluations > 0) return config.run.until_evaluations;
  return config.algorithm().info().traits.explores() ? 1 : 0;
}

bool ends_by_evaluation(const Config& config) { return awaited_evaluations(config) > 0; }

std::int64_t steps_between_evaluations(const Config& config) {
  const auto& run = config.run;
  if (run.evaluate_steps > 0 || !ends_by_evaluation(config)) return run.evaluate_steps;
  return std::max(std::int64_t{1}, run.steps / kLooks);
}

std::optional<EvaluatorOptions> training_evaluation(const Config& config) {
  const auto& run = config.run;
  const auto every = steps_between_evaluations(config);
  if (every == 0) return std::nullopt;
  const auto env = environments_of(config, /*beside=*/true);
  const auto spec = env.spec();
  const auto seed = seed_of(run);
  const auto protocol = protocol_of(config);
  auto algorithm = make_algorithm(config, spec);
  auto architecture = make_architecture(config, spec, algorithm);
  const auto games = std::make_shared<const GameParts>(
      GameParts{.episodes = static_cast<int>(run.evaluate_episodes),
                .play = protocol == "greedy" ? Play::greedy : Play::sampled,
                .seed = seed,
                .most_steps = most_game_steps(env),
                .beside = env.factory(seed),
                .after = environments_of(config, /*beside=*/false).factory(seed),
                .algorithm = std::move(algorithm),
                .architecture = std::move(architecture),
                .device = run.device,
                .precision = precision_of(config.net)});
  const int threads = busy_threads(run);
  return EvaluatorOptions{
      .every = every,
      .episodes = run.evaluate_episodes,
      .protocol = {protocol, run.evaluate_start},
      .play =
          [games](const Checkpoint& snapshot, int stepping,
                  const std::function<void(int ended)>& after_step) {
            const EvaluationOptions options{.episodes = games->episodes,
                                            .play = games->play,
                                            .seed = games->seed,
                                            .threads = stepping,
                                            .most_steps = games->most_steps,
                                            .on_step = after_step};
            std::vector<float> parameters(
                static_cast<std::size_t>(games->architecture.parameter_count()));
            load_parameters(snapshot, games->architecture, parameters);
            const auto network =
                make_network(games->architecture, parameters, games->device, games->precision);
            return evaluate(options, stepping > 1 ? games->after : games->beside, *network,
                            *games->algorithm.acting);
          },
      .threads = threads,
      .share = threads * (ends_by_evaluation(config) ? EvaluatorOptions::kAwaitedShare
                                                     : EvaluatorOptions::kShare),
      .elsewhere = env.family->makes_groups() || run.device != "cpu",
      .warn = [](const std::string& what) { spdlog::warn("{}", what); }};
}

}  // namespace tandem
