// The terms of a policy's loss.
#pragma once

namespace tandem {

/// Log probability and entropy of one sample. Value type.
struct PolicyTerms {
  float log_probability = 0;  // of the action that was taken
  float entropy = 0;          // of the distribution
};

}  // namespace tandem
