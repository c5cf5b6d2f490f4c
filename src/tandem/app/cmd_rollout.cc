#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/app/signals.h"
#include "tandem/base/error.h"
#include "tandem/env/vec_env.h"
#include "tandem/io/files.h"
#include "tandem/io/npy.h"
#include "tandem/study/random_actions.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRolloutFooter = R"(
Writes to DIR, for N steps of one environment:
  actions.npy      [N]       int32, or [N, dims] float32 for continuous actions
  obs.npy          [N, ...]  the stacked observation after each step
  reset_obs.npy    [E, ...]  the first observation of each episode, in order
  reward.npy       [N]       float32, raw
  terminated.npy   [N]       bool: the episode ended with this step
  truncated.npy    [N]       bool: a time limit cut it off at this step

A DIR that holds one of these files is refused. Until the rollout has ended
they have names with .part at the end.

So obs.npy holds what `step` gives in Gymnasium, the observation that ended an
episode included, and reset_obs.npy what `reset` gives: one before the first
step and one after every step that ended an episode (either flag is true). The
frames of a reset's observation are all copies of one.

Discrete actions have the environment's own numbers, here and in --actions:
-1, 0 and 1 for Gymnasium's Discrete(3, start=-1).

The same --env, --set, --seed and actions give the same files. Random actions
are drawn from a stream of their own, so that playing back actions.npy with the
same seed gives the same files, too.)";

struct RolloutOptions {
  EnvOptions env;
  std::int64_t seed = 1;
  std::string steps;  // empty: as many as the file has actions
  std::string actions;
  bool random = false;
  std::string out;
};

// Actions from a file. The constructor checks that they fit the environment.
class RecordedActions {
 public:
  RecordedActions(const std::string& file, const EnvSpec& spec)
      : array_(read_npy(file)), first_action_(spec.first_action) {
    spec.discrete() ? check_discrete(file, spec) : check_continuous(file, spec);
  }

  [[nodiscard]] std::int64_t count() const { return array_.shape.front(); }

  [[nodiscard]] Action at(std::int64_t step) const {
    const auto index = static_cast<std::size_t>(step);
    if (array_.type != NpyType::f32) {
      const auto number = static_cast<std::int64_t>(array_.at(index));
      return {.discrete = static_cast<std::int32_t>(number - first_action_)};
    }
    const auto dims = static_cast<std::size_t>(array_.shape.back());
    const auto* values = reinterpret_cast<const float*>(array_.bytes.data());
    return {.continuous = std::span(values, array_.bytes.size() / 4).subspan(index * dims, dims)};
  }

 private:
  void check_discrete(const std::string& file, const EnvSpec& spec) const {
    const bool whole =
        array_.type == NpyType::u8 || array_.type == NpyType::i32 || array_.type == NpyType::i64;
    if (!whole || array_.shape.size() != 1) {
      throw Error(fmt::format("{}: this environment needs integer actions of shape [steps]", file));
    }
    const auto last = first_action_ + spec.num_actions - 1;
    for (std::int64_t i = 0; i < count(); ++i) {
      const auto action = array_.at(static_cast<std::size_t>(i));
      if (action >= static_cast<double>(first_action_) && action <= static_cast<double>(last)) {
        continue;
      }
      throw Error(fmt::format("{}: action {} at index {} is not in {} to {}", file, action, i,
                              first_action_, last));
    }
  }

  void check_continuous(const std::string& file, const EnvSpec& spec) const {
    const bool fits = array_.type == NpyType::f32 && array_.shape.size() == 2 &&
                      array_.shape.back() == spec.action_dims();
    if (fits) return;
    throw Error(fmt::format("{}: this environment needs float32 actions of shape [steps, {}]", file,
                            spec.action_dims()));
  }

  NpyArray array_;
  std::int64_t first_action_;  // of discrete ones, in the file
};

constexpr std::array kRolloutFiles = {"actions.npy", "obs.npy",        "reset_obs.npy",
                                      "reward.npy",  "terminated.npy", "truncated.npy"};

// Writes the files: one row for each step or, in reset_obs.npy, for each reset.
class Recorder {
 public:
  Recorder(const fs::path& dir, const EnvSpec& spec)
      : first_action_(spec.first_action),
        actions_(dir / "actions.npy", spec.discrete() ? NpyType::i32 : NpyType::f32,
                 action_shape(spec)),
        obs_(dir / "obs.npy", observation_type(spec), spec.observation_shape()),
        reward_(dir / "reward.npy", NpyType::f32, {}),
        terminated_(dir / "terminated.npy", NpyType::boolean, {}),
        truncated_(dir / "truncated.npy", NpyType::boolean, {}),
        reset_obs_(dir / "reset_obs.npy", observation_type(spec), spec.observation_shape()) {}

  void add_reset(std::span<const std::byte> observation) { reset_obs_.write(observation); }

  void add(const Action& action, const StepResult& result, std::span<const std::byte> observation) {
    if (action.continuous.empty()) {
      const auto number = static_cast<std::int32_t>(first_action_ + action.discrete);
      actions_.write(std::as_bytes(std::span(&number, 1)));
    } else {
      actions_.write(std::as_bytes(action.continuous));
    }
    obs_.write(observation);
    reward_.write(std::as_bytes(std::span(&result.reward, 1)));
    terminated_.write(std::as_bytes(std::span(&result.terminated, 1)));
    truncated_.write(std::as_bytes(std::span(&result.truncated, 1)));
  }

  void close() {
    for (auto* file : {&actions_, &obs_, &reward_, &terminated_, &truncated_, &reset_obs_}) {
      file->close();
    }
  }

 private:
  static std::vector<std::int64_t> action_shape(const EnvSpec& spec) {
    return spec.discrete() ? std::vector<std::int64_t>{} : std::vector{spec.action_dims()};
  }

  static NpyType observation_type(const EnvSpec& spec) {
    return spec.dtype == DType::u8 ? NpyType::u8 : NpyType::f32;
  }

  std::int64_t first_action_;  // of discrete ones, in the file
  NpyWriter actions_, obs_, reward_, terminated_, truncated_, reset_obs_;
};

std::int64_t step_count(const RolloutOptions& options,
                        const std::optional<RecordedActions>& recorded) {
  if (options.steps.empty()) return recorded->count();
  const auto steps = parse_count("--steps", options.steps);
  if (!recorded || steps <= recorded->count()) return steps;
  throw Error(fmt::format("{} has {} actions, fewer than --steps {}", options.actions,
                          recorded->count(), options.steps));
}

/// Refuses to replace the files of another rollout, among them the file that the actions come from.
void require_new_files(const RolloutOptions& options) {
  const fs::path dir = options.out;
  std::error_code missing;
  if (fs::equivalent(options.actions, dir / "actions.npy", missing)) {
    throw Error(fmt::format("--out {} would replace the actions of --actions; name another folder",
                            options.out));
  }
  for (const auto* file : kRolloutFiles) {
    if (!fs::exists(dir / file)) continue;
    throw Error(fmt::format(
        "--out {} holds the {} of another rollout: name another folder, or remove its files",
        options.out, file));
  }
}

void run(const RolloutOptions& options) {
  if (options.random == !options.actions.empty()) {
    throw Error("say which actions to take: either --actions FILE.npy or --random");
  }
  if (options.random && options.steps.empty()) throw Error("--random needs --steps N");
  require_new_files(options);
  const auto config = options.env.load();
  const auto seed = static_cast<std::uint64_t>(options.seed);
  VecEnv env(config.factory(seed), {.seed = seed});
  const auto& spec = env.spec();
  if (spec.agents > 1) {
    throw Error(
        fmt::format("{} has {} agents, and a rollout is of one; from Python, "
                    "tandem.make_parallel() steps such environments",
                    config.id, spec.agents));
  }

  std::optional<RecordedActions> recorded;
  if (!options.random) recorded.emplace(options.actions, spec);
  RandomActions random(spec, seed);
  const auto steps = step_count(options, recorded);

  make_folder(options.out);
  Recorder recorder(options.out, spec);
  std::vector<std::byte> observation(spec.observation_bytes());
  env.reset(observation);
  recorder.add_reset(observation);
  const StopSignals signals;
  std::int64_t taken = 0;
  for (; taken < steps && !signals.requested(); ++taken) {
    const Action action = recorded ? recorded->at(taken) : random.next().front();
    try {
      env.step(std::array{action}, observation);
    } catch (const Error& error) {
      recorder.close();
      throw Error(fmt::format("{} ({} steps before it are written to {})", error.what(), taken,
                              options.out));
    }
    const auto& result = env.result(0);
    const bool ended = result.terminated || result.truncated;
    recorder.add(action, result, ended ? env.final_observation(0) : observation);
    if (ended) recorder.add_reset(observation);
  }
  recorder.close();
  fmt::print("{} steps of {} written to {}\n", taken, config.id, options.out);
}

}  // namespace

void add_rollout(CLI::App& program) {
  auto options = std::make_shared<RolloutOptions>();
  auto* command = program.add_subcommand(
      "rollout", "Write an environment's observations and rewards to .npy files");
  options->env.add_to(*command);
  command->add_option("--seed", options->seed, "Seed of the environment's random stream")
      ->type_name("S")
      ->transform(whole_number(0))
      ->capture_default_str();
  command
      ->add_option("--actions", options->actions, "Actions to take, an array of one row per step")
      ->type_name("FILE.npy");
  command->add_flag("--random", options->random, "Take uniformly random actions");
  command
      ->add_option("--steps", options->steps,
                   "Steps to take, 5k is a number, too; default: one for each action")
      ->type_name("N");
  command->add_option("--out", options->out, "Folder to write to")->type_name("DIR")->required();
  end_help(*command,
           {"tandem rollout --env atari:Pong --random --steps 1000 --out pong",
            "tandem rollout --env atari:Pong --actions pong/actions.npy --out again"},
           kRolloutFooter);
  command->callback([options] { run(*options); });
}

}  // namespace tandem
