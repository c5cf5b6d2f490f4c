#include "tandem/study/ga3c/ga3c_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tandem/base/median.h"
#include "tandem/io/csv.h"
#include "tandem/io/text_table.h"
#include "tandem/systems/fit.h"
#include "tandem/systems/ga3c/ga3c_system.h"

namespace tandem {
namespace {

/// A column of the csv files: its name, and the member of GridRow that it shows.
struct Column {
  const char* name;
  double GridRow::*value;
};

constexpr std::array kColumns = {
    Column{"predictions_per_second", &GridRow::predictions_per_second},
    Column{"trainings_per_second", &GridRow::trainings_per_second},
    Column{"busy_cores", &GridRow::busy_cores},
    Column{"prediction_batch", &GridRow::prediction_batch},
    Column{"training_queue", &GridRow::training_queue},
    Column{"policy_lag_updates", &GridRow::lag},
    Column{"prediction_seconds_median", &GridRow::latency_median},
    Column{"prediction_seconds_p99", &GridRow::latency_p99},
};

const GridRow* find(const std::vector<GridRow>& rows, const std::string& system,
                    const std::string& net) {
  const auto found = std::ranges::find_if(
      rows, [&](const auto& row) { return row.system == system && row.net == net; });
  return found == rows.end() ? nullptr : &*found;
}

template <class Key>
auto distinct(const std::vector<GridRow>& rows, Key key) {
  std::vector<std::decay_t<decltype(key(rows.front()))>> all;
  for (const auto& row : rows) {
    if (std::ranges::find(all, key(row)) == all.end()) all.push_back(key(row));
  }
  return all;
}

}  // namespace

std::string setting_text(const GridRow& row) {
  auto text = fmt::format("{} with {}", row.system, row.net);
  if (row.system != kGa3c) return text;
  return fmt::format("{}, {} agents, {} predictors, {} trainers", text, row.threads.agents,
                     row.threads.predictors, row.threads.trainers);
}

GridRow make_row(const Config& config, const TrainingRate& rate) {
  const auto mean = [&](const std::string& key) { return rate.means.value(key, 0.0); };
  const double steps = mean("rate/steps_per_second");
  GridRow row{.system = config.system_name,
              .net = config.net.arch,
              .threads = config.system_name == kGa3c ? ga3c_of(config) : Ga3cConfig{},
              .predictions_per_second = rate.steps_per_second,
              .busy_cores = rate.busy_cores,
              .prediction_batch = mean("ga3c/prediction_batch"),
              .training_queue = mean("ga3c/training_queue"),
              .lag = mean("ga3c/policy_lag_updates"),
              .latency_median = mean("ga3c/prediction_seconds_median"),
              .latency_p99 = mean("ga3c/prediction_seconds_p99")};
  if (steps > 0) {
    row.trainings_per_second = rate.steps_per_second * mean("rate/updates_per_second") / steps;
  }
  return row;
}

GridRow median_row(const std::vector<GridRow>& rows) {
  GridRow middle = rows.front();
  for (const auto& column : kColumns) {
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto& row : rows) values.push_back(row.*column.value);
    middle.*column.value = median(std::move(values));
  }
  return middle;
}

std::vector<GridRow> best_of_each(const std::vector<GridRow>& rows, std::size_t count) {
  std::vector<GridRow> best;
  for (const auto agents : distinct(rows, [](const auto& row) { return row.threads.agents; })) {
    std::vector<GridRow> alike;
    std::ranges::copy_if(rows, std::back_inserter(alike),
                         [&](const auto& row) { return row.threads.agents == agents; });
    std::ranges::stable_sort(alike, std::ranges::greater(), &GridRow::trainings_per_second);
    alike.resize(std::min(alike.size(), count));
    best.insert(best.end(), alike.begin(), alike.end());
  }
  return best;
}

std::string grid_table(const std::vector<GridRow>& rows, int width) {
  std::vector<std::vector<std::string>> table = {{"N_A", "N_P", "N_T", "PPS", "TPS",
                                                  "PREDICTION BATCH", "TRAINING QUEUE", "LAG",
                                                  "LATENCY", "LATENCY P99"}};
  for (const auto& row : rows) {
    table.push_back(
        {fmt::format("{}", row.threads.agents), fmt::format("{}", row.threads.predictors),
         fmt::format("{}", row.threads.trainers), fmt::format("{:.0f}", row.predictions_per_second),
         fmt::format("{:.1f}", row.trainings_per_second),
         fmt::format("{:.1f}", row.prediction_batch), fmt::format("{:.1f}", row.training_queue),
         fmt::format("{:.1f}", row.lag), time_text(row.latency_median),
         time_text(row.latency_p99)});
  }
  return format_table(table, width);
}

std::string network_table(const std::vector<GridRow>& rows, int width) {
  const auto systems = distinct(rows, [](const auto& row) { return row.system; });
  std::vector<std::vector<std::string>> table = {{"NETWORK"}};
  for (const auto& system : systems) table[0].push_back(system + " PPS");
  for (const auto& system : systems) {
    if (system != kGa3c) table[0].push_back("ga3c / " + system);
  }
  for (const auto& net : distinct(rows, [](const auto& row) { return row.net; })) {
    std::vector<std::string> rates, ratios;
    const auto* ga3c = find(rows, kGa3c, net);
    for (const auto& system : systems) {
      const auto* row = find(rows, system, net);
      rates.push_back(row != nullptr ? fmt::format("{:.0f}", row->predictions_per_second) : "-");
      if (system == kGa3c) continue;
      ratios.push_back(
          row != nullptr && ga3c != nullptr
              ? fmt::format("{:.2f}", ga3c->predictions_per_second / row->predictions_per_second)
              : "-");
    }
    auto& line = table.emplace_back(std::vector{net});
    line.insert(line.end(), rates.begin(), rates.end());
    line.insert(line.end(), ratios.begin(), ratios.end());
  }
  return format_table(table, width);
}

std::string grid_csv(const std::vector<GridRow>& rows) {
  std::vector<std::string> names = {"system", "net", "agents", "predictors", "trainers"};
  for (const auto& column : kColumns) names.emplace_back(column.name);
  auto text = csv_line(names);
  for (const auto& row : rows) {
    const bool ga3c = row.system == kGa3c;
    const auto number = [&](std::int64_t n) { return ga3c ? fmt::format("{}", n) : ""; };
    std::vector<std::string> words = {row.system, row.net, number(row.threads.agents),
                                      number(row.threads.predictors), number(row.threads.trainers)};
    for (const auto& column : kColumns) words.push_back(fmt::format("{:.6g}", row.*column.value));
    text += csv_line(words);
  }
  return text;
}

Ga3cConfig& ga3c_of(const Config& config) {
  return dynamic_cast<Ga3cSystem&>(*config.system).config;
}

std::vector<std::string> forward_once(const Config& config) {
  std::vector<std::shared_ptr<const System>> systems;
  for (const auto& one : config.catalogue->systems) {
    const auto batching = one->batching();
    const bool again = batching.apart || batching.alone;
    const bool fits = misfit(one->requirements(), config.algorithm().info().traits).empty();
    if (fits && !again) systems.push_back(one);
  }
  std::ranges::stable_sort(systems, {}, [](const auto& one) { return one->batching().envs; });
  std::vector<std::string> names;
  names.reserve(systems.size());
  for (const auto& one : systems) names.push_back(one->info().name);
  return names;
}

Config same_task(Config config, const std::string& system) {
  std::vector<Setting> settings;
  for (const auto& field : config.fields()) {
    if (field.key.starts_with("env.") || field.key.starts_with("net.") ||
        field.key == "run.device" || field.key == "run.threads" || field.key == "algo") {
      settings.push_back({.key = field.key,
                          .value = field_value(field),
                          .where = field.key,
                          .origin = Setting::Origin::file});
    }
  }
  auto other = load_config(system, settings, config.catalogue);
  const auto& own = ga3c_of(config);
  other.system->set_update({.steps = own.t_max, .samples = own.min_batch});
  return other;
}

}  // namespace tandem
