#include "tandem/cluster/pace.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace tandem {
namespace {

/// For so long, late events are made up for.
constexpr double kMadeUpSeconds = 1;

/// The longest sleep, so that the caller hears of a stop.
constexpr double kLongestSleep = 0.005;

}  // namespace

void Pace::set(double per_second) {
  const Lock lock(mutex_);
  per_second_ = per_second;
  due_ = 0;
  since_last_.lap();
}

bool Pace::take(double events) {
  const double early = seconds_until(events);
  if (early <= 0) return true;
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(early, kLongestSleep)));
  return false;
}

/// Counts the events if they are due.
double Pace::seconds_until(double events) {
  const Lock lock(mutex_);
  if (std::isinf(per_second_)) return 0;
  due_ = std::min(due_ + since_last_.lap() * per_second_, kMadeUpSeconds * per_second_ + events);
  if (per_second_ <= 0) return kLongestSleep;
  if (due_ < events) return (events - due_) / per_second_;
  due_ -= events;
  return 0;
}

}  // namespace tandem
