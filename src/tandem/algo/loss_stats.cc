#include "tandem/algo/loss_stats.h"

namespace tandem {

LossStats& LossStats::operator+=(const LossStats& other) {
  policy_loss += other.policy_loss;
  value_loss += other.value_loss;
  entropy += other.entropy;
  q += other.q;
  epsilon += other.epsilon;
  clipped += other.clipped;
  divergence += other.divergence;
  samples += other.samples;
  return *this;
}

double Metric::mean(const LossStats& stats) const {
  return stats.samples > 0 ? stats.*sum / stats.samples : 0;
}

}  // namespace tandem
