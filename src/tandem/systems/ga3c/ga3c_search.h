// The clock of GA3C's search for the best numbers of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "tandem/base/clock.h"
#include "tandem/base/state.h"
#include "tandem/systems/ga3c/ga3c_adjustment.h"

namespace tandem {

/// Section 4.3: measures the trainings per second of the present numbers of threads, and proposes
/// new numbers at fixed intervals. Any thread may call count_update(); all other members belong to
/// one thread.
class Ga3cSearch {
 public:
  /// Numbers are tried for `seconds` each; with 0 they never change.
  Ga3cSearch(double seconds, const Ga3cThreads& threads, Stream stream);

  /// Counts one update of the model by a trainer.
  void count_update() { updates_.fetch_add(1, std::memory_order_relaxed); }

  /// Starts the clock. Time and updates since the last next() do not count.
  void go_on();

  /// Returns new numbers once the present ones have been tried for their time; empty before.
  std::optional<Ga3cThreads> next();

  [[nodiscard]] const Ga3cThreads& tried() const { return adjustment_.tried(); }

  void save(StateWriter& writer) const { adjustment_.save(writer); }
  void load(StateReader& reader) { adjustment_.load(reader); }

 private:
  const double seconds_;
  Ga3cAdjustment adjustment_;
  Stopwatch watch_;
  double tried_seconds_ = 0;  // seconds of work with the present numbers
  std::int64_t tried_updates_ = 0;
  std::atomic<std::int64_t> updates_ = 0;  // since the last time the clock was read
};

}  // namespace tandem
