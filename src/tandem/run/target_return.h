// The return at which a run ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace tandem {

/// Whether and when a mean return reached run.until_return. Any thread may call reached(); the
/// other members need a lock.
class TargetReturn {
 public:
  /// The target is run.until_return.
  explicit TargetReturn(double target) : target_(target) {}

  /// Whether a mean return was at least the target.
  [[nodiscard]] bool reached() const { return reached_; }

  /// Takes a mean return after so many steps and seconds. The first that is high enough counts.
  void look(double mean_return, std::int64_t steps, double seconds);

  /// Restores what json() returned in an earlier part of the run, unless the target has changed.
  /// Throws nlohmann::json::exception if `saved` is of another form.
  void restore(const nlohmann::json& saved);

  /// The target, and the steps, frames and seconds at which it was reached; null if it was not.
  [[nodiscard]] nlohmann::ordered_json json(std::int64_t frames_per_step) const;

 private:
  const double target_;
  std::atomic<bool> reached_ = false;
  std::int64_t steps_ = 0;  // this and the seconds are valid if reached_
  double seconds_ = 0;
};

}  // namespace tandem
