#include "tandem/replay/rate_limiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tandem/base/error.h"

namespace tandem {

void RateLimiter::require_slack_for(std::int64_t batch) const {
  if (options_.samples_per_insert == 0 || options_.slack >= static_cast<double>(batch)) return;
  throw Error(fmt::format(
      "replay.slack = {:g} would let writers and readers wait for each other for ever; it must be "
      "at least a batch, {}",
      options_.slack, batch));
}

double RateLimiter::due(std::int64_t inserted) const {
  const auto counted = static_cast<double>(std::max<std::int64_t>(0, inserted - options_.min_fill));
  return counted * options_.samples_per_insert - static_cast<double>(sampled_);
}

/// Where transitions were lost, as many samples can be owed as transitions are left to read.
double RateLimiter::owed() const {
  const double due_samples = due(inserted_);
  if (lost_ == 0) return due_samples;
  return std::min(due_samples, static_cast<double>(inserted_ - lost_ - sampled_));
}

bool RateLimiter::may_sample(std::int64_t size, std::int64_t samples) const {
  if (size < options_.min_fill || size == 0) return false;
  return options_.samples_per_insert == 0 ||
         due(inserted_) - static_cast<double>(samples) >= -options_.slack;
}

bool RateLimiter::may_insert(std::int64_t size) const {
  return options_.samples_per_insert == 0 || size < options_.min_fill || owed() <= options_.slack;
}

std::int64_t RateLimiter::room(std::int64_t size) const {
  if (options_.samples_per_insert == 0) return std::numeric_limits<std::int64_t>::max() / 2;
  if (!may_insert(size)) return 0;
  constexpr double kMost = 1e15;  // a cluster's messages hold so many
  const double allowed = std::min(kMost, (options_.slack - owed()) / options_.samples_per_insert);
  return std::max(options_.min_fill - size, static_cast<std::int64_t>(allowed) + 1);
}

void RateLimiter::restore(std::int64_t inserted, std::int64_t sampled, std::int64_t lost) {
  inserted_ = inserted;
  sampled_ = sampled;
  lost_ = lost;
}

}  // namespace tandem
