// Numbers that depend on the environment, measured in random play when a run begins.
#pragma once

#include <cstdint>

#include "tandem/trainer/config.h"

namespace tandem {

/// The config with every number that it leaves to be measured: net.pixel_mean where it is "auto",
/// and the mean and deviation of observations where env.normalise is true and they are empty. An
/// env.normalise of "auto" becomes true where the environment shows a list of numbers, and false
/// elsewhere. A config that has its numbers is returned as it is, and nothing is played. One
/// environment plays uniformly random actions, drawn from a stream of run.seed that nothing else
/// draws from, so that the same config gives the same bits. A run keeps the numbers in its
/// config.toml, where resumed runs, evaluations and verifications find them. Throws Error for
/// env.normalise = true on pixels.
[[nodiscard]] Config measured(Config config);

/// The same of an environment alone.
[[nodiscard]] EnvConfig measured(EnvConfig env, std::uint64_t seed);

/// The config for a measurement of speed: an env.normalise of "auto" becomes false. Scaling costs
/// next to nothing, while measuring the scale of a slow environment takes minutes.
[[nodiscard]] Config without_scale(Config config);

/// Of the config of a run that has begun: throws Error where it lacks a number. Its agent was
/// trained with the numbers of an older version, which kept none; new ones would not be the same.
void require_measured(const Config& config);

}  // namespace tandem
