// Rewards in units of the running deviation of returns.
#pragma once

#include <cstddef>
#include <vector>

#include "tandem/base/state.h"

namespace tandem {

/// The rewards that an agent learns from, before its algorithm clips them.
enum class Rewards {
  raw,    // as the environment gives them
  scaled  // divided by RewardScale
};

/// Divides rewards by the standard deviation of the discounted return so far, R_t = gamma R_{t-1} +
/// r_t, which restarts at 0 with each episode, and clips them to +-10. It computes what
/// Stable-Baselines3's VecNormalize computes for one environment. (Gymnasium's NormalizeReward
/// clips nothing, and restarts the return one reward earlier.) Each row (an agent of an
/// environment) has statistics of its own, so a row's rewards depend neither on other rows nor on
/// the threads that step them. Training alone uses it; returns that are reported stay raw. Not
/// thread-safe.
class RewardScale {
 public:
  /// For this many rows.
  RewardScale(int rows, double gamma);

  /// Adds a raw reward to the row's return, and returns it scaled.
  [[nodiscard]] float scale(int row, float raw);

  /// The row's next reward begins an episode.
  void end_episode(int row) { of(row).discounted_return = 0; }

  /// Saves the statistics and returns of all rows.
  void save(StateWriter& writer) const { writer.put_values(rows_); }

  /// Restores a saved state. Throws Error for a state of another number of rows, and for none.
  void load(StateReader& reader);

 private:
  /// Starts as the RunningMeanStd of Stable-Baselines3 does.
  struct Row {
    double discounted_return = 0;
    double mean = 0;
    double variance = 1;
    double count = 1e-4;
  };

  Row& of(int row) { return rows_[static_cast<std::size_t>(row)]; }

  double gamma_;
  std::vector<Row> rows_;
};

}  // namespace tandem
