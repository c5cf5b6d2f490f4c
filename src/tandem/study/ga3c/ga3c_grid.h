// GA3C's Figures 3 and 4 and its Table 2: how fast it is, by its threads and by its network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tandem/study/training_rate.h"
#include "tandem/systems/ga3c/ga3c.h"
#include "tandem/systems/ga3c/ga3c_adjustment.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The system that the study is about.
inline constexpr const char* kGa3c = "ga3c";

/// What one short training showed. Value type.
struct GridRow {
  std::string system = kGa3c;
  std::string net;
  Ga3cConfig threads = {};  // of GA3C

  double predictions_per_second = 0;  // PPS: one for each step
  double trainings_per_second = 0;    // TPS: updates
  double busy_cores = 0;

  // Of GA3C, means over the training.
  double prediction_batch = 0;
  double training_queue = 0;  // experiences
  double lag = 0;             // updates
  double latency_median = 0;  // seconds of a prediction
  double latency_p99 = 0;
};

/// "ga3c with nips, 16 agents, 1 predictors, 2 trainers".
[[nodiscard]] std::string setting_text(const GridRow& row);

/// As measured with this config.
[[nodiscard]] GridRow make_row(const Config& config, const TrainingRate& rate);

/// The same settings measured at least once: the median of each number.
[[nodiscard]] GridRow median_row(const std::vector<GridRow>& rows);

/// Of each number of agents, in the order of `rows`, the `count` settings of most trainings a
/// second, the best first.
[[nodiscard]] std::vector<GridRow> best_of_each(const std::vector<GridRow>& rows,
                                                std::size_t count);

/// For a terminal of this width: one row a setting, and one row a network.
[[nodiscard]] std::string grid_table(const std::vector<GridRow>& rows, int width);
[[nodiscard]] std::string network_table(const std::vector<GridRow>& rows, int width);

/// For grid.csv and networks.csv.
[[nodiscard]] std::string grid_csv(const std::vector<GridRow>& rows);

/// The numbers of a config of GA3C.
[[nodiscard]] Ga3cConfig& ga3c_of(const Config& config);

/// The other systems that train with the config's algorithm and learn on the pass that acted, as
/// A3C does: GA3C's paper compares with such. Those of the smallest batches come first.
[[nodiscard]] std::vector<std::string> forward_once(const Config& config);

/// The config of another system that learns the same environment by the same network from as many
/// samples an update (but for A3C, whose threads update alone), its other numbers those of its
/// preset for Atari. `config` is GA3C's.
[[nodiscard]] Config same_task(Config config, const std::string& system);

}  // namespace tandem
