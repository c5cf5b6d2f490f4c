// Builds the parts whose speed a measurement is about.
#pragma once

#include <cstdint>

#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The parts of the config. Observations and pixels are not measured first where the preset leaves
/// that open, since their scale changes no rate. Throws Error as Assembly does, and when a stop is
/// requested while a scale that the user asks for is measured.
[[nodiscard]] Assembly parts_to_measure(const Config& config, const StopRequested& stop_requested);

/// The same for an environment alone.
[[nodiscard]] EnvConfig env_to_measure(const EnvConfig& env, std::uint64_t seed,
                                       const StopRequested& stop_requested);

}  // namespace tandem
