// How much a network computes.
#pragma once

#include "tandem/nn/architecture.h"

namespace tandem {

/// Operations for one sample: a multiplication by a weight and the addition of the product count as
/// two. Activations, pools and biases are left out, as are tricks that save operations. Value type.
struct Arithmetic {
  double forward = 0;   // from the observation to the heads
  double backward = 0;  // from the heads' gradient to the parameters': as much again for each
                        // layer's weights and as much for its input, except for the observation
};

/// The arithmetic of a network. A deterministic policy with its critic has that of both. Throws
/// Error when the layers do not fit the observation. Pure, thread-safe.
[[nodiscard]] Arithmetic arithmetic_of(const Architecture& architecture);

}  // namespace tandem
