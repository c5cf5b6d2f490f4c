// Observations whose numbers are of one size.
#pragma once

#include <memory>
#include <vector>

#include "tandem/env/env.h"

namespace tandem {

/// The mean and the deviation of each number of a frame. Value type.
struct ObservationScale {
  std::vector<double> mean;
  std::vector<double> deviation;  // above 0
};

/// Whether a frame is one list of numbers.
[[nodiscard]] bool shows_numbers(const EnvSpec& spec);

/// Throws Error for an environment whose frames are no list of numbers.
void require_numbers(const EnvSpec& spec);

/// The same environment, which shows each number less its mean and divided by its deviation: an
/// agent learns little from a number that is a tenth as large as its neighbours. Results stay
/// within +-10: a good agent goes where random play never was, and one number that is thousands of
/// random play's deviations away would outweigh all others in the network and its gradient.
/// Immutable scales may be shared by environments of many threads. Throws Error for pixels, and for
/// a scale of more or fewer numbers than a frame has.
std::unique_ptr<Env> make_normalised(std::unique_ptr<Env> env,
                                     std::shared_ptr<const ObservationScale> scale);

}  // namespace tandem
