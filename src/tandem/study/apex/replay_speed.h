// Measures the speed of a replay alone.
#pragma once

#include <cstdint>

#include "tandem/replay/table.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// A replay of transitions of 4x84x84 bytes, as on Atari. Value type.
struct ReplayTask {
  ReplayConfig replay = {.capacity = 100'000, .min_fill = 1};
  std::int64_t writers = 8;
  std::int64_t readers = 1;
  std::int64_t batch = 512;
  std::int64_t n = 3;   // steps of a transition
  bool random = false;  // frames of noise, which no codec compresses; false: pictures like Pong's
  double seconds = 5;   // of each measurement
};

/// Rates per second. Value type.
struct ReplayRates {
  double inserts = 0;  // transitions
  double samples = 0;  // each with a new priority afterwards
};

/// The measured speeds. Value type.
struct ReplaySpeed {
  ReplayRates writing;   // writers alone
  ReplayRates reading;   // readers alone, over a full replay
  ReplayRates together;  // writers and readers at once, without limits
  double bytes_per_transition = 0;
  double sample_bytes = 0;             // of both observations of a transition
  double copy_bytes_per_second = 0;    // plain copies of large memory by one thread
  double copies_bytes_per_second = 0;  // the same by one thread for each core
};

/// Measures for about three times task.seconds, and less for the memory. Throws Error for numbers
/// that do not fit together, for too little memory, and when a signal interrupts.
[[nodiscard]] ReplaySpeed measure_replay(const ReplayTask& task,
                                         const StopRequested& stop_requested);

}  // namespace tandem
