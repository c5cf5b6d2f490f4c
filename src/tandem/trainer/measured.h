// Numbers that depend on the environment, measured in random play when a run begins.
#pragma once

#include <cstdint>

#include "tandem/trainer/config.h"

namespace tandem {

/// The config with every number that it leaves open: net.pixel_mean if it is "auto", and the mean
/// and deviation of observations if env.normalise is true and they are empty. An env.normalise of
/// "auto" becomes true if the environment shows a list of numbers, else false. If a config has its
/// numbers already, it is returned as it is without any play. One environment plays uniformly
/// random actions. They come from a stream of run.seed that has no other use, so that the same
/// config gives the same bits. A run keeps the numbers in its config.toml, where resumed runs,
/// evaluations and verifications find them. Throws Error for env.normalise = true on pixels.
[[nodiscard]] Config measured(Config config);

/// Measures for an environment alone.
[[nodiscard]] EnvConfig measured(EnvConfig env, std::uint64_t seed);

/// The config for a measurement of speed: an env.normalise of "auto" becomes false. Scaling costs
/// next to nothing, while measuring the scale of a slow environment takes minutes.
[[nodiscard]] Config without_scale(Config config);

/// Throws Error if the config of a run that has begun lacks a number. Its agent was trained with
/// the numbers of an older version, which did not keep them; new ones would differ.
void require_measured(const Config& config);

}  // namespace tandem
