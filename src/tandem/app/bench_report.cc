#include "tandem/app/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tandem/io/text_table.h"

namespace tandem {
namespace {

double microseconds(double seconds) { return 1e6 * seconds; }

std::string update_text(const Batching& batching) {
  if (batching.replayed > 0) {
    return fmt::format("{} environments in a forward pass; an update from {} of the replay's",
                       batching.envs, batching.replayed);
  }
  return fmt::format("an update from {} rollouts of {} x {} steps", batching.rollouts,
                     batching.envs, batching.steps);
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

std::string cost(double seconds) { return fmt::format("{:.1f} us", microseconds(seconds)); }

/// A number of operations in millions or billions.
std::string operations(double count) {
  return count < 1e9 ? fmt::format("{:.2f} Mop", 1e-6 * count)
                     : fmt::format("{:.1f} Gop", 1e-9 * count);
}

/// The row of a log key. The key "ga3c/prediction_seconds_p99" with the value 0.02 gives
/// "prediction p99" and "20.0 ms".
std::vector<std::string> own_row(const std::string& key, double value) {
  constexpr std::string_view kSeconds = "_seconds";
  auto name = key.substr(key.find('/') + 1);
  const auto unit = name.find(kSeconds);
  if (unit != std::string::npos) name.erase(unit, kSeconds.size());
  std::ranges::replace(name, '_', ' ');
  return {name, unit == std::string::npos ? plain_number(value, 4) : time_text(value), ""};
}

}  // namespace

nlohmann::ordered_json speed_json(const Config& config, const SystemSpeed& speed) {
  const auto frames = static_cast<double>(config.env.frames_per_step());
  nlohmann::ordered_json json = {{"system", config.system_name},
                                 {"env", config.env.id},
                                 {"net", config.net.arch},
                                 {"lstm", config.net.lstm},
                                 {"precision", config.net.precision},
                                 {"device", config.run.device},
                                 {"threads", speed.threads},
                                 {"envs_per_forward_pass", speed.batching.envs},
                                 {"steps_per_second", speed.steps_per_second},
                                 {"frames_per_second", speed.steps_per_second * frames},
                                 {"t_env_us", microseconds(speed.costs.env)},
                                 {"t_inference_us", microseconds(speed.costs.inference)},
                                 {"t_train_us", microseconds(speed.costs.training)},
                                 {"limit_steps_per_second", speed.limit},
                                 {"fraction_of_limit", speed.fraction()},
                                 {"operations_per_step", speed.costs.operations},
                                 {"peak_operations_per_second", speed.peak},
                                 {"share_of_peak", speed.share_of_peak()},
                                 {"time/stepping", speed.shares.stepping},
                                 {"time/inferring", speed.shares.inferring},
                                 {"time/learning", speed.shares.learning},
                                 {"time/waiting", speed.shares.waiting}};
  if (speed.batching.replayed > 0) {
    json["samples_per_update"] = speed.batching.replayed;
  } else {
    json["steps_per_rollout"] = speed.batching.steps;
    json["rollouts_per_update"] = speed.batching.rollouts;
  }
  json.update(speed.own);
  return json;
}

void print_speed(const Config& config, const SystemSpeed& speed) {
  const auto& [env, inference, training, computed] = speed.costs;
  const bool cpu = config.run.device == "cpu";
  fmt::print("{} on {}: net {} on {}, {} threads; {}\n\n", config.system_name, config.env.id,
             config.net.arch, config.run.device, speed.threads, update_text(speed.batching));
  std::vector<std::vector<std::string>> rows = {
      {"ONE STEP, ONE CORE", "", "WHILE ALL CORES WORK"},
      {"t_env", cost(env), "emulator and observation"},
      {"t_inf", cost(inference), "acting and bootstrapping"},
      {"t_train", cost(training), "gradient and update"},
      {"", "", ""},
      {"WHOLE TRAINING", "", ""},
      {"reached", fmt::format("{:.0f} steps/s", speed.steps_per_second),
       percent(speed.fraction()) + " of the limit"},
      {"limit", fmt::format("{:.0f} steps/s", speed.limit),
       cpu ? "cores / (t_env + t_inf + t_train)" : "cores / t_env"},
      {"", "", ""},
      {"THREADS' TIME", "", ""},
      {"stepping", percent(speed.shares.stepping), ""},
      {"inferring", percent(speed.shares.inferring), ""},
      {"learning", percent(speed.shares.learning), ""},
      {"waiting", percent(speed.shares.waiting), ""}};
  if (cpu) {
    rows.insert(
        rows.end(),
        {{"", "", ""},
         {"ARITHMETIC", "", ""},
         {"a step", operations(computed), "of the network, acting and learning"},
         {"reached", operations(computed / (inference + training)) + "/s",
          percent(speed.share_of_peak()) + " of the peak, in t_inf and t_train"},
         {"peak", operations(speed.peak) + "/s", "one core that only multiplies and adds"}});
  }
  if (!speed.own.empty()) {
    rows.insert(rows.end(), {{"", "", ""}, {config.system_name + "'S OWN", "", "AS IN ITS LOGS"}});
    for (const auto& [key, value] : speed.own.items()) rows.push_back(own_row(key, value));
  }
  fmt::print("{}", format_table(rows, terminal_width()));
}

std::vector<std::string> speed_row(const std::string& name, const SystemSpeed& speed) {
  return {name,
          fmt::format("{:.0f}", speed.steps_per_second),
          percent(speed.fraction()),
          fmt::format("{:.1f}", microseconds(speed.costs.env)),
          fmt::format("{:.1f}", microseconds(speed.costs.inference)),
          fmt::format("{:.1f}", microseconds(speed.costs.training)),
          percent(speed.shares.stepping),
          percent(speed.shares.inferring),
          percent(speed.shares.learning),
          percent(speed.shares.waiting)};
}

std::vector<std::string> speed_head(const std::string& name) {
  return {name,         "steps/s", "of limit", "t_env us", "t_inf us",
          "t_train us", "step",    "infer",    "learn",    "wait"};
}

std::vector<std::string> arithmetic_row(const std::string& system, const std::string& network,
                                        const SystemSpeed& speed) {
  const double busy = speed.costs.inference + speed.costs.training;
  return {system,
          network,
          fmt::format("{:.0f}", speed.steps_per_second),
          percent(speed.fraction()),
          fmt::format("{:.2f}", 1e-6 * speed.costs.operations),
          fmt::format("{:.1f}", microseconds(busy)),
          fmt::format("{:.1f}", 1e-9 * speed.costs.operations / busy),
          percent(speed.share_of_peak())};
}

std::vector<std::string> arithmetic_head() {
  return {"SYSTEM", "NETWORK", "STEPS/S", "OF LIMIT", "MOP A STEP", "US", "GOP/S", "OF PEAK"};
}

}  // namespace tandem
