#include "tandem/cluster/draw_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tandem {

std::vector<int> divide_batch(std::span<const double> masses, int samples, double share) {
  std::vector<int> counts(masses.size());
  const double all = std::accumulate(masses.begin(), masses.end(), 0.0);
  if (all <= 0) return counts;
  // Points lie at (k + share) / samples of the whole mass. A shard draws one sample for each point
  // in its own part. The last shard with a mass ends at the whole, whatever the rounding.
  double sum = 0;
  int below = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (masses[i] <= 0) continue;
    last = i;
    sum += masses[i];
    const double points = std::ceil(sum / all * samples - share);
    const int until = std::clamp(static_cast<int>(points), below, samples);
    counts[i] = until - below;
    below = until;
  }
  counts[last] += samples - below;
  return counts;
}

}  // namespace tandem
