// Multiplies numbers by a factor.
#pragma once

#include <span>

#include "tandem/nn/kernels/bfloat16.h"

namespace tandem {

/// Multiplies each number by `factor`, in place; a factor of 1 costs nothing. Stateless; safe to
/// call from many threads.
void scale(float factor, std::span<float> numbers);
void scale(float factor, std::span<Bfloat16> numbers);

}  // namespace tandem
