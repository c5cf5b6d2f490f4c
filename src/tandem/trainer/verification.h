// Checks whether a run repeats bit by bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The result of a repeated training. Value type.
struct Verification {
  std::int64_t updates = 0;  // updates compared
  std::int64_t steps = 0;    // steps up to the last of them
  double seconds = 0;        // of the repeated training
  // Whether fewer steps were repeated than asked for, because a resumed run had another schedule of
  // the learning rate from there on.
  bool rescheduled = false;
  // The first update, counted from 1, whose bits differ; empty: no bit differs.
  std::optional<std::int64_t> parted_at = std::nullopt;
  std::int64_t parted_step = 0;  // steps until that update
  // Whether parameters and optimizer equal those of the run's checkpoint at the last step; empty:
  // there is no such checkpoint, or an update differs.
  std::optional<bool> same_checkpoint = std::nullopt;
  std::string backend = {};  // the library that computes the network now: "oneDNN 2.6.3"
  // Other backends that computed the network in the run. Different rounding alone can make bits
  // differ.
  std::vector<std::string> other_backends = {};
};

/// Repeats the first `steps` steps of the run in `folder`, in a temporary folder. `config` is the
/// run's, but may have other numbers of threads. Throws Error when such a run cannot be repeated or
/// has no fingerprints, or when `stop_requested` ends it.
[[nodiscard]] Verification verify(const Config& config, const std::filesystem::path& folder,
                                  std::int64_t steps, const StopRequested& stop_requested);

}  // namespace tandem
