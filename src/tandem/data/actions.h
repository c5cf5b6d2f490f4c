// The actions of some samples.
#pragma once

#include <cstdint>
#include <span>

namespace tandem {

/// Room for one action of each sample; views of the caller's memory. Which of the two is filled
/// follows from the environment: for continuous actions `discrete` holds nothing of use, and for
/// discrete ones `continuous` is empty.
struct Actions {
  std::span<std::int32_t> discrete;         // [samples]
  std::span<float> continuous = {};         // [samples, dimensions], as drawn, within bounds or not
  std::span<float> log_probabilities = {};  // [samples], under the policy that drew them; filled by
                                            // algorithms that need it, where it is not empty
};

}  // namespace tandem
