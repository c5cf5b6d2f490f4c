// GA3C's speed with different numbers of threads and networks: Figures 3 and 4, Table 2.
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

  // For GA3C alone, over the whole training.
  double prediction_batch = 0;  // mean size
  double training_queue = 0;    // mean number of experiences in the queue
  double lag = 0;               // mean policy lag, in updates
  double latency_median = 0;    // of a prediction, in seconds
  double latency_p99 = 0;
};

/// The settings in words: "ga3c with nips, 16 agents, 1 predictors, 2 trainers".
[[nodiscard]] std::string setting_text(const GridRow& row);

/// The row of this config and its measured rates.
[[nodiscard]] GridRow make_row(const Config& config, const TrainingRate& rate);

/// The median of each result over measurements of the same settings. `rows` must not be empty.
[[nodiscard]] GridRow median_row(const std::vector<GridRow>& rows);

/// The `count` rows with the most trainings per second for each number of agents, the best first.
/// The numbers of agents keep their order in `rows`.
[[nodiscard]] std::vector<GridRow> best_of_each(const std::vector<GridRow>& rows,
                                                std::size_t count);

/// Tables for a terminal of this width, with a line for each setting, or for each network.
[[nodiscard]] std::string grid_table(const std::vector<GridRow>& rows, int width);
[[nodiscard]] std::string network_table(const std::vector<GridRow>& rows, int width);

/// The text of grid.csv or networks.csv.
[[nodiscard]] std::string grid_csv(const std::vector<GridRow>& rows);

/// The hyperparameters of GA3C in its config.
[[nodiscard]] Ga3cConfig& ga3c_of(const Config& config);

/// The systems that train with the config's algorithm and learn from the forward pass that chose
/// the actions, as A3C does, with which GA3C's paper compares. Systems with fewer environments in a
/// forward pass come first.
[[nodiscard]] std::vector<std::string> forward_once(const Config& config);

/// The config of another system for the same task: the same environment, network, device, threads
/// and samples per update (except for A3C, whose threads update alone). The other settings are
/// those of its preset for Atari. `config` must be one of GA3C.
[[nodiscard]] Config same_task(Config config, const std::string& system);

}  // namespace tandem
