#include "tandem/study/hts/football_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/field.h"
#include "tandem/study/paac/a2c.h"
#include "tandem/trainer/config_request.h"
#include "tandem/trainer/default_preset.h"

namespace tandem {
namespace {

/// Settings over a preset.
class PresetSource final : public ConfigSource {
 public:
  explicit PresetSource(ConfigRequest request) : request_(std::move(request)) {}

  [[nodiscard]] Config load_with(const std::vector<Setting>& last) const override {
    return request_.load(last);
  }
  [[nodiscard]] bool sets(const std::string& key, const FieldList& fields) const override {
    return request_.sets(key, fields);
  }

 private:
  ConfigRequest request_;
};

bool evaluates(const std::string& steps) {
  std::int64_t every = 0;
  set_field_text({.key = "--evaluate-steps", .target = &every, .meaning = "steps", .least = 0},
                 steps);
  return every > 0;
}

}  // namespace

std::vector<FootballContender> football_contenders() {
  const std::vector<std::string> football = {"football"};
  std::vector<FootballContender> contenders;
  for (auto& preset : read_defaults(published()->presets)) {
    if (std::ranges::find(preset.situations, football) == preset.situations.end()) continue;
    contenders.push_back({std::move(preset.system), std::move(preset.preset)});
  }
  return contenders;
}

SweepPlan plan_football(const FootballTask& task, const FootballContender& contender,
                        const std::string& scenario) {
  const auto setting = [](const char* key, const std::string& text, const char* where) {
    return Setting{.key = key, .value = text, .where = where};
  };
  std::vector<Setting> settings = {
      setting("env.id", "football:" + scenario, "--scenarios"),
      setting("run.steps", task.steps, "--steps"),
      setting("run.until_return", fmt::format("{}", kLastScore), "Table 2"),
      setting("run.until_evaluations", evaluates(task.evaluate_steps) ? "10" : "0",
              "--evaluate-steps"),
      setting("run.evaluate_steps", task.evaluate_steps, "--evaluate-steps"),
      setting("run.evaluate_episodes", "10", "section 5"),
      setting("run.log_seconds", "1", "the table's times"),
      // "For GFootball, following Kurach et al., we use 5M steps."
      setting("optimizer.anneal_steps", "5M", "section 5"),
  };
  // "A2C has to wait for the slowest process" at every step, and PPO, too, where the preset's
  // groups wait for each other once in a rollout.
  const auto waiting = one_group(contender.system);
  settings.insert(settings.end(), waiting.begin(), waiting.end());
  settings.insert(settings.end(), task.settings.begin(), task.settings.end());
  const PresetSource source(
      {.system = contender.system, .base = contender.preset, .settings = settings});
  return plan_sweep(source, {}, {}, task.runs);
}

}  // namespace tandem
