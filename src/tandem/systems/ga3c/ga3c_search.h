// GA3C's search for the number of its threads, by the clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "tandem/base/clock.h"
#include "tandem/base/state.h"
#include "tandem/systems/ga3c/ga3c_adjustment.h"

namespace tandem {

/// Section 4.3: measures the trainings a second that the numbers of threads reach, and says every
/// so often which numbers to try next. count_update() belongs to any thread, the rest to one.
class Ga3cSearch {
 public:
  /// Numbers stay for `seconds`, or for ever where that is 0.
  Ga3cSearch(double seconds, const Ga3cThreads& threads, Stream stream);

  /// A trainer has moved the model.
  void count_update() { updates_.fetch_add(1, std::memory_order_relaxed); }

  /// Starts the clock. Time and updates since the last next() do not count.
  void go_on();

  /// New numbers once the present ones were tried long enough.
  std::optional<Ga3cThreads> next();

  [[nodiscard]] const Ga3cThreads& tried() const { return adjustment_.tried(); }

  void save(StateWriter& writer) const { adjustment_.save(writer); }
  void load(StateReader& reader) { adjustment_.load(reader); }

 private:
  const double seconds_;
  Ga3cAdjustment adjustment_;
  Stopwatch watch_;
  double tried_seconds_ = 0;  // of work with the numbers that are tried
  std::int64_t tried_updates_ = 0;
  std::atomic<std::int64_t> updates_ = 0;  // not yet among these
};

}  // namespace tandem
