#include "tandem/study/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/shell_word.h"
#include "tandem/study/env_memory.h"
#include "tandem/study/free_env.h"
#include "tandem/study/parts_to_measure.h"
#include "tandem/study/process_memory.h"
#include "tandem/study/training_rate.h"

namespace tandem {
namespace {

constexpr std::uint64_t kAdviceSeed = 1;
constexpr int kThreadsAsleep = 32;
constexpr double kNearlyAsFast = 0.8;

int cores() { return RunConfig{}.thread_budget(); }

Candidate make_candidate(const AdviceTask& task, const std::string& system,
                         std::vector<std::string> words) {
  auto settings = task.settings;
  for (const auto& word : words) settings.push_back(parse_assignment(word));
  return {std::move(words), choose_config(system, settings, task.catalogue)};
}

/// A candidate from a text such as "hts hts.envs=4".
Candidate named_candidate(const AdviceTask& task, const std::string& text) {
  std::istringstream stream(text);
  std::string system;
  stream >> system;
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  auto candidate = make_candidate(task, system, std::move(words));
  const auto needs = candidate.config.system->requirements();
  if (needs.learns_from != LearnsFrom::replay) return candidate;
  throw Error(fmt::format(
      "advise cannot foresee {}, whose replay no short measurement fills; `tandem bench {}` "
      "measures how it trains",
      system, system));
}

/// `config` is that of env_to_measure().
EnvMeasures measure(const EnvConfig& config, double seconds, const StopRequested& stop_requested) {
  EnvMeasures env{.config = config};
  env.bytes = env_bytes(env.config.factory(1));
  env.times = measure_step_times(env.config, seconds, cores(), stop_requested);
  // Sleeping environments need no core of their own, so many can step at once. They take longer to
  // wake up when there are many.
  if (env.asleep()) {
    env.times = measure_step_times(env.config, seconds, kThreadsAsleep, stop_requested);
  }
  env.times.each = std::vector<double>();  // forecast() measures the memory of this process
  return env;
}

/// The measurements of a candidate's environment: a preset may have other options of it.
EnvMeasures measures_for(const EnvConfig& config, const EnvMeasures& known, double seconds,
                         const StopRequested& stop_requested) {
  auto own = env_to_measure(config, kAdviceSeed, stop_requested);
  auto other = known.config;  // fields() needs variables that it can point to
  if (to_toml(own.fields()) == to_toml(other.fields())) return known;
  return measure(own, seconds, stop_requested);
}

/// The policy lag that the config determines, or else the measured one.
double lag_of(const Config& config, const nlohmann::ordered_json& means) {
  if (const auto lag = config.system->lag_updates()) return *lag;
  return means.value(config.system_name + "/policy_lag_updates", 0.0);
}

}  // namespace

std::string Prospect::command(const AdviceTask& task) const {
  auto text = "tandem train " + candidate.config.system_name;
  for (const auto& setting : task.settings) {
    const auto value = value_text(setting.value);
    text += setting.key == "env.id"
                ? " --env " + shell_word(value)
                : " --set " + shell_word(fmt::format("{}={}", setting.key, value));
  }
  for (const auto& word : candidate.words) text += " --set " + shell_word(word);
  return text;
}

EnvMeasures measure_env(const AdviceTask& task, const StopRequested& stop_requested) {
  const auto first = task.named.empty() ? choose_config("", task.settings, task.catalogue)
                                        : named_candidate(task, task.named.front()).config;
  return measure(env_to_measure(first.env, kAdviceSeed, stop_requested), task.seconds,
                 stop_requested);
}

std::vector<Candidate> candidates(const AdviceTask& task, const EnvMeasures& env) {
  std::vector<Candidate> all;
  for (const auto& text : task.named) all.push_back(named_candidate(task, text));
  if (!all.empty()) return all;
  std::optional<Error> refused;
  for (const auto& system : task.catalogue->systems) {
    const auto variants =
        env.asleep() ? system->sleeping_variants(kThreadsAsleep) : system->variants(cores());
    for (const auto& words : variants) {
      try {
        auto candidate = make_candidate(task, system->info().name, words);
        task.catalogue->require_fit(*system, candidate.config.algorithm());
        all.push_back(std::move(candidate));
      } catch (const Error& error) {
        if (!refused) refused = error;
      }
    }
  }
  if (all.empty() && refused) throw Error(*refused);
  return all;
}

Prospect forecast(const AdviceTask& task, const EnvMeasures& env, const Candidate& candidate,
                  const StopRequested& stop_requested) {
  const auto& config = candidate.config;
  const auto own = measures_for(config.env, env, task.seconds, stop_requested);
  Prospect result{.candidate = candidate};
  release_memory();
  const auto rate =
      measure_training(config, task.seconds, stop_requested, {}, free_envs(own.config.factory(1)));
  result.costs = {rate.steps_per_second, rate.busy_cores / rate.steps_per_second};
  result.steps_per_second = forecast_steps_per_second(
      config.system->thread_pattern(config.run.thread_budget()), own.times, result.costs, cores());
  result.lag = lag_of(config, rate.means);
  result.bytes = peak_bytes() + static_cast<double>(config.system->envs()) * own.bytes;
  if (task.check) {
    result.measured = measure_training(config, 3 * task.seconds, stop_requested).steps_per_second;
  }
  return result;
}

const Prospect& recommended(const std::vector<Prospect>& forecasts) {
  const auto rate = [](const Prospect& one) { return one.steps_per_second; };
  const double fastest = rate(*std::ranges::max_element(forecasts, {}, rate));
  const Prospect* best = nullptr;
  for (const auto& one : forecasts) {
    if (rate(one) < kNearlyAsFast * fastest) continue;
    const bool better =
        best == nullptr || one.lag < best->lag || (one.lag == best->lag && rate(one) > rate(*best));
    if (better) best = &one;
  }
  return *best;
}

}  // namespace tandem
