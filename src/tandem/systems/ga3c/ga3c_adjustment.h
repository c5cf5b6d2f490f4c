// GA3C's search for the best numbers of threads.
#pragma once

#include <cstdint>

#include "tandem/base/random.h"
#include "tandem/base/state.h"

namespace tandem {

/// N_A, N_P and N_T of GA3C's section 4.1. Value type.
struct Ga3cThreads {
  int agents = 1;
  int predictors = 1;
  int trainers = 1;

  static const Ga3cThreads kMost;

  friend bool operator==(const Ga3cThreads&, const Ga3cThreads&) = default;
};

/// The upper limits.
inline constexpr Ga3cThreads Ga3cThreads::kMost = {1024, 64, 64};

/// Section 4.3: every minute one of the three numbers changes by one, at random. The change stays
/// if it raises the trainings per second (TPS). The search compares consecutive minutes: after it
/// has undone a change, it measures a minute without a change, so that a lucky minute of long ago
/// does not bar later changes. The paper does not mention this. Not thread-safe.
class Ga3cAdjustment {
 public:
  /// Starts from `kept`. No number falls below 1 or exceeds Ga3cThreads::kMost.
  Ga3cAdjustment(const Ga3cThreads& kept, Stream stream)
      : kept_(kept), tried_(kept), stream_(stream) {}

  /// The numbers to try next, given the TPS that tried() reached.
  Ga3cThreads next(double trainings_per_second);

  [[nodiscard]] const Ga3cThreads& tried() const { return tried_; }

  /// The numbers that the search kept last.
  [[nodiscard]] const Ga3cThreads& kept() const { return kept_; }

  void save(StateWriter& writer) const;
  void load(StateReader& reader);

 private:
  [[nodiscard]] Ga3cThreads changed();

  Ga3cThreads kept_;
  Ga3cThreads tried_;
  double kept_rate_ = 0;  // TPS in the last minute with these numbers
  Stream stream_;
};

}  // namespace tandem
