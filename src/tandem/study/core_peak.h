// The most arithmetic that a core can do, to which a network's is compared.
#pragma once

#include "tandem/nn/architecture.h"

namespace tandem {

/// Operations a second of one core while `cores` cores do nothing but multiply numbers of
/// `precision` and add the products as floats, with the widest vectors that best_simd() allows and
/// operands that never leave the registers. A product and its sum count as two operations, as in
/// Arithmetic. Without instructions for bfloat16 it is the peak of floats. AMX's tiles are left
/// out, so a network that uses them may do more. Takes about `seconds`
/// and returns the median of many turns, as a mean over the cores: cores of which two share their
/// arithmetic, as threads of one core do, each have half of it. Starts a thread for each core.
[[nodiscard]] double measure_core_peak(Precision precision, int cores, double seconds);

}  // namespace tandem
