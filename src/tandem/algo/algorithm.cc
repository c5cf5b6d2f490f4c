#include "tandem/algo/algorithm.h"

namespace tandem {

LossStats& LossStats::operator+=(const LossStats& other) {
  policy_loss += other.policy_loss;
  value_loss += other.value_loss;
  entropy += other.entropy;
  samples += other.samples;
  return *this;
}

}  // namespace tandem
