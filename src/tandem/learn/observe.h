// Updates the running statistics of a network's inputs.
#pragma once

#include <cstddef>
#include <span>

#include "tandem/nn/input_statistics.h"

namespace tandem {

/// Adds a learning batch's observations to the statistics. `pieces` lie in several places of
/// memory, and each holds whole observations of fp32 numbers as the environment shows them. The
/// statistics become those of all observations so far, by the parallel formula of Chan, Golub and
/// LeVeque (1979), in double precision. Sums are made in the order of the pieces, so
/// the result is the same to the bit for the same pieces. Systems call it after the batch's
/// gradient has moved the parameters: until then acting, recorded activations and the gradient
/// share one network. Throws Error, and leaves the statistics unchanged, for a number that is not
/// finite. Uses the calling thread only.
void add_observations(std::span<const std::span<const std::byte>> pieces,
                      const InputStatistics& statistics);

}  // namespace tandem
