// How often the parts of a cluster speak to each other.
#pragma once

#include <chrono>
#include <cstddef>

namespace tandem {

/// An actor sends a message when it has this size, or after so many seconds. Few large messages
/// cost less than many small ones, and old experience is worth less.
inline constexpr std::size_t kMessageBytes = std::size_t{1} << 19;
inline constexpr double kMessageSeconds = 0.2;

/// Seconds between two reports of an actor to its learner.
inline constexpr double kReportSeconds = 0.25;

/// New actors get the parameters at the latest then, also while these do not change.
inline constexpr double kRepeatSeconds = 1;

/// A shard hears from the learner this often, also while no batch is drawn: its answer tells of new
/// inserts, and the order brings the actors' allowance. Where nothing limits the actors, there is
/// no hurry.
inline constexpr double kOrderSeconds = 0.02;
inline constexpr double kIdleOrderSeconds = 0.2;

/// The longest that a part may take until it plays, as for the driver (START_SECONDS in part.py).
inline constexpr std::chrono::seconds kStartPatience(600);

}  // namespace tandem
