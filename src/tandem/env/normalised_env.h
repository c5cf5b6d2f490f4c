// Observations whose numbers have similar sizes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tandem/env/env.h"
#include "tandem/env/env_group.h"

namespace tandem {

/// The mean and the deviation of each number of a frame. Value type.
struct ObservationScale {
  std::vector<double> mean;
  std::vector<double> deviation;  // above 0
};

/// Scaled numbers are clipped to this many deviations on each side.
inline constexpr double kFarthestDeviation = 10;

/// Subtracts the mean from each number of one or more frames of floats, divides it by the deviation
/// and clips it to +-kFarthestDeviation, in place. The frames need no alignment.
void normalise(const ObservationScale& scale, std::span<std::byte> frames);

/// The inverse of normalise() but for rounding; a number that was clipped stays at the limit.
void denormalise(const ObservationScale& scale, std::span<std::byte> frames);

/// Whether a frame is one list of numbers.
[[nodiscard]] bool shows_numbers(const EnvSpec& spec);

/// Throws Error for an environment whose frames are not lists of numbers.
void require_numbers(const EnvSpec& spec);

/// The same environment with each number less its mean and divided by its deviation: an agent
/// learns little from a number that is a tenth as large as its neighbours. Results are clipped to
/// +-10. A good agent reaches states that random play never did, and one number thousands of
/// deviations away would outweigh all others in the network and its gradient. Environments of many
/// threads may share an immutable scale. Throws Error for pixels, and for a scale of another size
/// than a frame.
std::unique_ptr<Env> make_normalised(std::unique_ptr<Env> env,
                                     std::shared_ptr<const ObservationScale> scale);

/// The same for the environments of a group.
std::unique_ptr<EnvGroup> make_normalised(std::unique_ptr<EnvGroup> group,
                                          std::shared_ptr<const ObservationScale> scale);

}  // namespace tandem
