// What the policy's loss is made of.
#pragma once

namespace tandem {

/// Log probability and entropy of one sample. Value type.
struct PolicyTerms {
  float log_probability = 0;  // of the action taken
  float entropy = 0;          // of the distribution
};

}  // namespace tandem
