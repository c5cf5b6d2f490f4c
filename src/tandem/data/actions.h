// The actions of some samples.
#pragma once

#include <cstdint>
#include <span>

namespace tandem {

/// Room for one action of each sample; views of the caller's memory. The environment decides which
/// of the two is filled: for continuous actions the contents of `discrete` are meaningless, and for
/// discrete ones `continuous` is empty.
struct Actions {
  std::span<std::int32_t> discrete;         // [samples]
  std::span<float> continuous = {};         // [samples, dimensions], as drawn, possibly out of
                                            // bounds
  std::span<float> log_probabilities = {};  // [samples], under the policy that drew them;
                                            // algorithms that need it fill it if it is not empty
};

}  // namespace tandem
