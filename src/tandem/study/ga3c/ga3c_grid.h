// GA3C's Figures 3 and 4 and its Table 2: its speed by the numbers of threads and by the network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tandem/study/training_rate.h"
#include "tandem/systems/ga3c/ga3c.h"
#include "tandem/systems/ga3c/ga3c_adjustment.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The system that the study examines.
inline constexpr const char* kGa3c = "ga3c";

/// The results of one short training. Value type.
struct GridRow {
  std::string system = kGa3c;
  std::string net;
  Ga3cConfig threads = {};  // GA3C's numbers of threads

  double predictions_per_second = 0;  // PPS: one prediction for each step
  double trainings_per_second = 0;    // TPS: updates
  double busy_cores = 0;

  // For GA3C alone, means over the training.
  double prediction_batch = 0;
  double training_queue = 0;  // experiences in the queue
  double lag = 0;             // policy lag in updates
  double latency_median = 0;  // of a prediction, in seconds
  double latency_p99 = 0;
};

/// "ga3c with nips, 16 agents, 1 predictors, 2 trainers".
[[nodiscard]] std::string setting_text(const GridRow& row);

/// A row with the rates that were measured with this config.
[[nodiscard]] GridRow make_row(const Config& config, const TrainingRate& rate);

/// The median of each number over measurements of the same settings, of which there must be one.
[[nodiscard]] GridRow median_row(const std::vector<GridRow>& rows);

/// For each number of agents, in the order of `rows`, the `count` settings with the most trainings
/// a second, the best first.
[[nodiscard]] std::vector<GridRow> best_of_each(const std::vector<GridRow>& rows,
                                                std::size_t count);

/// Tables for a terminal of this width: one row a setting, or one row a network.
[[nodiscard]] std::string grid_table(const std::vector<GridRow>& rows, int width);
[[nodiscard]] std::string network_table(const std::vector<GridRow>& rows, int width);

/// The text of grid.csv or networks.csv.
[[nodiscard]] std::string grid_csv(const std::vector<GridRow>& rows);

/// The numbers of a config of GA3C.
[[nodiscard]] Ga3cConfig& ga3c_of(const Config& config);

/// The other systems that train with the config's algorithm and learn on the pass that acted. A3C
/// does so, and GA3C's paper compares with it. The smallest batches come first.
[[nodiscard]] std::vector<std::string> forward_once(const Config& config);

/// The config of another system for the same task: the same environment, network and samples per
/// update (except for A3C, whose threads update alone). Its other numbers are those of its preset
/// for Atari. `config` must be one of GA3C.
[[nodiscard]] Config same_task(Config config, const std::string& system);

}  // namespace tandem
