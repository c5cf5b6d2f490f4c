#include "tandem/sync/throttle.h"

#include <algorithm>
#include <utility>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace tandem {

Throttle::Throttle(double share, Clock work, Clock time)
    : share_(share),
      work_(std::move(work)),
      time_(std::move(time)),
      work_begun_(work_()),
      time_begun_(time_()) {}

void Throttle::begin() {
  work_begun_ = work_();
  time_begun_ = time_();
}

double Throttle::rest() const {
  const double worked = work_() - work_begun_;
  const double passed = time_() - time_begun_;
  return std::max(0.0, worked / share_ - passed);
}

void take_lowest_priority() noexcept {
#ifdef __linux__
  // Linux keeps this number for each thread, whatever POSIX says about processes.
  constexpr int kLowest = 19;
  // A refusal does no harm: the throttle holds all the same.
  [[maybe_unused]] const int refused =
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kLowest);
#endif
}

}  // namespace tandem
