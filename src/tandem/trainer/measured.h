// Config values that depend on the environment, measured in random play when a run begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// Measures every value that the config leaves open: net.pixel_mean if it is "auto" or "median",
/// and the mean and deviation of observations if env.normalise is true and they are empty. An
/// env.normalise of "auto" becomes true if a frame is a list of numbers, else false. A config that
/// leaves nothing open is returned unchanged, without any play. The play takes uniformly random
/// actions in one environment. Its random numbers come from a stream of run.seed without any other
/// use, so the same config gives the same bits. A run keeps the values in its config.toml, where
/// resumed runs, evaluations and verifications find them. The play of a slow environment takes
/// minutes, which the log tells after some seconds. Throws Error for env.normalise = true on
/// pixels, and Stopped when a stop is requested.
[[nodiscard]] Config measured(
    Config config, const StopRequested& stop_requested = [] { return false; });

/// Does the same for an environment alone.
[[nodiscard]] EnvConfig measured(
    EnvConfig env, std::uint64_t seed, const StopRequested& stop_requested = [] { return false; });

/// The keys whose values measured(asked) has measured to get `found`.
[[nodiscard]] std::vector<std::string> measured_keys(const Config& asked, const Config& found);

/// The config for a measurement of speed: an env.normalise of "auto" becomes false, and a
/// net.pixel_mean that is still to be measured 0. Both cost next to nothing, while measuring them
/// in a slow environment takes minutes.
[[nodiscard]] Config without_scale(Config config);

/// Does the same for an environment alone.
[[nodiscard]] EnvConfig without_scale(EnvConfig env);

/// Throws Error if the config of a run that has begun lacks a measured value. An older version,
/// which did not keep such values, trained its agent with them; new measurements would differ.
void require_measured(const Config& config);

}  // namespace tandem
