#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "tandem/app/commands.h"
#include "tandem/app/config_options.h"
#include "tandem/app/help.h"
#include "tandem/app/number_check.h"
#include "tandem/base/clock.h"
#include "tandem/env/vec_env.h"
#include "tandem/io/json_text.h"
#include "tandem/study/random_actions.h"

namespace tandem {
namespace {

struct EnvBench {
  EnvOptions env;
  int envs = 1;
  int threads = 0;  // 0: the caller's alone
  double seconds = 5;
  bool json = false;
};

struct Rate {
  std::int64_t steps = 0;
  double seconds = 0;
};

// Steps all environments with random actions, including frame stacking and resets.
Rate measure(VecEnv& env, RandomActions& actions, std::span<std::byte> observations,
             double seconds) {
  // Reading the clock takes as long as a cheap step.
  constexpr int kStepsPerLook = 64;
  const int rounds = (kStepsPerLook + env.envs() - 1) / env.envs();
  const Stopwatch watch;
  Rate rate;
  while (rate.seconds < seconds) {
    for (int i = 0; i < rounds; ++i) env.step(actions.next(), observations);
    env.take_episodes();
    rate.steps += static_cast<std::int64_t>(rounds) * env.envs();
    rate.seconds = watch.seconds();
  }
  return rate;
}

void run_env(const EnvBench& options) {
  constexpr std::uint64_t kSeed = 1;
  const auto config = options.env.load();
  VecEnv env(config.factory(kSeed),
             {.count = options.envs, .threads = options.threads, .seed = kSeed});
  std::vector<std::byte> observations(static_cast<std::size_t>(env.size()) *
                                      env.spec().observation_bytes());
  auto all = env.spec();
  all.agents = env.size();  // so that one call draws the actions of all environments
  RandomActions actions(all, kSeed);
  env.reset(observations);
  // The first measurement warms up the caches and the CPU's clock; its result is discarded.
  measure(env, actions, observations, std::min(0.5, options.seconds));
  const auto rate = measure(env, actions, observations, options.seconds);

  const double per_second = static_cast<double>(rate.steps) / rate.seconds;
  const auto frames = static_cast<double>(env.spec().frames_per_step);
  if (options.json) {
    const nlohmann::ordered_json json = {{"env", config.id},
                                         {"envs", options.envs},
                                         {"steps", rate.steps},
                                         {"seconds", rate.seconds},
                                         {"steps_per_second", per_second},
                                         {"frames_per_second", per_second * frames},
                                         {"t_env_us", 1e6 / per_second}};
    return fmt::print("{}\n", json_text(json));
  }
  fmt::print("{}: {:.0f} steps/s ({:.0f} frames/s), {:.2f} us per step, {}\n", config.id,
             per_second, per_second * frames, 1e6 / per_second,
             options.envs == 1 ? "one environment on one core"
                               : fmt::format("{} environments", options.envs));
}

}  // namespace

void add_bench_env(CLI::App& bench) {
  auto options = std::make_shared<EnvBench>();
  auto* env =
      bench.add_subcommand("env", "Steps per second of one environment on one core, or of several");
  options->env.add_to(*env);
  env->add_option("--envs", options->envs, "How many environments to step together")
      ->transform(whole_number(1, 100'000))
      ->capture_default_str();
  env->add_option("--env-threads", options->threads,
                  "Threads that step them; 0: one. Environments of gym:ID have processes instead "
                  "(env.workers)")
      ->transform(whole_number(0, 1024))
      ->capture_default_str();
  env->add_option("--seconds", options->seconds, "How long to measure")
      ->transform(real_number(0.01, 3600.0))
      ->capture_default_str();
  env->add_flag("--json", options->json, "Print JSON");
  end_help(*env, {"tandem bench env --env atari:Pong"});
  env->callback([options] { run_env(*options); });
}

}  // namespace tandem
