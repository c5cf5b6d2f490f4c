// The actions of some samples.
#pragma once

#include <cstdint>
#include <span>

namespace tandem {

/// Room for one action of each sample; views of the caller's memory. For continuous actions the
/// contents of `discrete` are meaningless, and for discrete actions `continuous` is empty.
struct Actions {
  std::span<std::int32_t> discrete;         // [samples]
  std::span<float> continuous = {};         // [samples, dimensions], before clipping to the
                                            // bounds
  std::span<float> log_probabilities = {};  // [samples], log pi(a) of the policy that drew
                                            // them, for algorithms that need it; may be empty
};

}  // namespace tandem
