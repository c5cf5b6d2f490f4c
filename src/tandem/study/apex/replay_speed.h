// Measures the speed of a replay alone.
#pragma once

#include <cstdint>

#include "tandem/replay/table.h"
#include "tandem/sync/stop_requested.h"

namespace tandem {

/// A replay to measure, whose observations have 4x84x84 bytes, as on Atari. Value type.
struct ReplayTask {
  ReplayConfig replay = {.capacity = 100'000, .min_fill = 1};
  std::int64_t writers = 8;
  std::int64_t readers = 1;
  std::int64_t batch = 512;
  std::int64_t n = 3;   // steps that a transition spans
  bool random = false;  // frames of noise, which no codec compresses; false: pictures like Pong's
  double seconds = 5;   // of each measurement
};

/// Rates per second. Value type.
struct ReplayRates {
  double inserts = 0;  // transitions
  double samples = 0;  // transitions, each of which gets a new priority
};

/// The measured speeds. Value type.
struct ReplaySpeed {
  ReplayRates writing;   // writers alone
  ReplayRates reading;   // readers alone, over a full replay
  ReplayRates together;  // writers and readers at once
  double bytes_per_transition = 0;
  double sample_bytes = 0;             // of both observations of a transition
  double copy_bytes_per_second = 0;    // plain copies of large memory by one thread
  double copies_bytes_per_second = 0;  // likewise, by one thread for each core at once
};

/// Measures the replay for about three times task.seconds, and plain copies for two seconds at
/// most. Throws Error for settings that do not fit together, for too little memory, and when
/// `stop_requested` returns true.
[[nodiscard]] ReplaySpeed measure_replay(const ReplayTask& task,
                                         const StopRequested& stop_requested);

}  // namespace tandem
