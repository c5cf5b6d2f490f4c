#include "tandem/study/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "tandem/base/error.h"
#include "tandem/base/streams.h"

namespace tandem {
namespace {

void check_key(const std::string& key, const ConfigSource& options, const FieldList& fields,
               const std::vector<std::string>& earlier, Given given) {
  if (key == "system") throw Error("SYSTEM cannot be varied: make a sweep of each");
  if (key == "run.seed") {
    throw Error("run.seed cannot be varied: every run of a sweep has its own, from --seed on");
  }
  if (std::ranges::find(earlier, key) != earlier.end()) {
    throw Error(fmt::format("--vary gives {} twice", key));
  }
  if (given == Given::refused && options.sets(key, fields)) {
    throw Error(
        fmt::format("{} is given by --vary and by another option: leave one of them out", key));
  }
}

/// Each repetition adds one to the seed.
void require_seeds(std::int64_t first, int count) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  if (first <= kMost - (count - 1)) return;
  throw Error(
      fmt::format("run.seed = {} is too large for {} runs, whose seeds follow it: the last one "
                  "must be {} at most",
                  first, count, kMost));
}

/// All combinations, each as a list with an index into the values of each variation (0: a range).
std::vector<std::vector<std::size_t>> combinations(const std::vector<Variation>& variations) {
  std::vector<std::vector<std::size_t>> all = {{}};
  for (const auto& variation : variations) {
    std::vector<std::vector<std::size_t>> longer;
    const std::size_t count = variation.is_range() ? 1 : variation.values.size();
    for (const auto& start : all) {
      for (std::size_t i = 0; i < count; ++i) {
        longer.push_back(start);
        longer.back().push_back(i);
      }
    }
    all = std::move(longer);
  }
  return all;
}

bool is_whole(const std::string& key, const FieldList& fields) {
  const auto field = std::ranges::find(fields, key, &Field::key);
  return std::holds_alternative<std::int64_t*>(field->target);
}

/// The values that one repetition draws, one for each variation; empty texts for lists.
std::vector<std::string> draw_all(const std::vector<Variation>& variations, const FieldList& fields,
                                  std::uint64_t seed, int repetition) {
  Stream stream(seed, streams::kSweeps.id(static_cast<std::uint64_t>(repetition)));
  std::vector<std::string> drawn;
  for (const auto& variation : variations) {
    const auto whole = variation.is_range() && is_whole(variation.keys.front(), fields);
    drawn.push_back(variation.is_range() ? draw(variation, whole, stream) : "");
  }
  return drawn;
}

nlohmann::ordered_json to_json(Config config) {
  nlohmann::ordered_json json;
  for (const auto& field : config.fields()) {
    std::visit([&](const auto& value) { json[field.key] = value; }, field_value(field));
  }
  return json;
}

/// The configs of all combinations in one. A key whose values differ, as where each combination has
/// a preset of its own, has the list of them.
nlohmann::ordered_json merged(const std::vector<PlannedRun>& first) {
  nlohmann::ordered_json all;
  for (const auto& run : first) {
    const auto config = to_json(run.config);
    for (const auto& [key, value] : config.items()) all[key].push_back(value);
  }
  for (auto& values : all) {
    const bool same =
        std::ranges::all_of(values, [&](const auto& v) { return v == values.front(); });
    if (same) values = nlohmann::ordered_json(values.front());
  }
  return all;
}

/// The description of a sweep. `first` holds the runs of one repetition; all of them are needed,
/// because a run's keys may depend on the values that vary.
nlohmann::ordered_json describe(const std::vector<PlannedRun>& first,
                                const std::vector<std::string>& keys,
                                const std::vector<Variation>& variations, int repetitions) {
  auto config = merged(first);
  for (const auto& key : keys) config.erase(key);
  auto vary = nlohmann::ordered_json::array();
  for (const auto& variation : variations) vary.push_back(to_text(variation));
  return {{"runs", repetitions}, {"vary", vary}, {"config", config}};
}

}  // namespace

std::string PlannedRun::title(const std::vector<std::string>& keys) const {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) text += fmt::format("{}={} ", keys[i], values[i]);
  return text + fmt::format("seed={}", config.run.seed);
}

SweepPlan plan_sweep(const ConfigSource& options, const std::vector<Setting>& settings,
                     const std::vector<Variation>& variations, int repetitions, Given given) {
  Config base = options.load_with(settings);
  const auto fields = base.fields();
  SweepPlan plan;
  std::vector<Variation> known;
  for (const auto& variation : variations) {
    known.push_back(with_full_keys(variation, fields));
    for (const auto& key : known.back().keys) {
      check_key(key, options, fields, plan.keys, given);
      plan.keys.push_back(key);
    }
  }

  auto shared = settings;
  // With lr_choice = log_uniform, the config's own draw would replace the sweep's value.
  const bool varies_lr = std::ranges::find(plan.keys, "optimizer.lr") != plan.keys.end();
  if (varies_lr) {
    for (const auto* key : {"optimizer.lr_choice", "optimizer.lr_low", "optimizer.lr_high"}) {
      if (std::ranges::find(plan.keys, key) == plan.keys.end()) continue;
      throw Error(fmt::format(
          "--vary {}: the sweep draws optimizer.lr, so that this key changes nothing; --keep-lr "
          "leaves the rate to the config",
          key));
    }
    shared.push_back({"optimizer.lr_choice", "lr", "--vary"});
  }

  require_seeds(base.run.seed, repetitions);
  const auto cells = combinations(known);
  plan.combinations = static_cast<int>(cells.size());
  plan.defaults = to_json(load_config(
      base.system_name, {{"env.id", base.env.id, "the sweep"}, {"algo", base.algo, "the sweep"}},
      base.catalogue));
  const auto seed = static_cast<std::uint64_t>(base.run.seed);
  for (int r = 0; r < repetitions; ++r) {
    const auto drawn = draw_all(known, fields, seed, r);
    for (const auto& cell : cells) {
      PlannedRun run{.number = static_cast<int>(plan.runs.size()) + 1};
      auto own = shared;
      for (std::size_t i = 0; i < known.size(); ++i) {
        const auto& variation = known[i];
        const auto texts = variation.is_range() ? std::vector{drawn[i]} : variation.values[cell[i]];
        for (std::size_t k = 0; k < texts.size(); ++k) {
          own.push_back({variation.keys[k], texts[k], "--vary " + variation.text});
          run.values.push_back(texts[k]);
        }
      }
      own.push_back({"run.seed", fmt::format("{}", base.run.seed + r), "--seed"});
      run.config = options.load_with(own);
      plan.runs.push_back(std::move(run));
    }
    if (r == 0) plan.description = describe(plan.runs, plan.keys, known, repetitions);
  }
  return plan;
}

}  // namespace tandem
