// Whether a run can be repeated, bit by bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tandem/sync/stop_requested.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// What came of training again. Value type.
struct Verification {
  std::int64_t updates = 0;  // that were compared
  std::int64_t steps = 0;    // of these
  double seconds = 0;        // that training again took
  // The first update, from 1 on, that left other bits, and the steps until then.
  std::optional<std::int64_t> parted_at = std::nullopt;
  std::int64_t parted_step = 0;  // steps until that update
  // Whether parameters and optimizer are those of the run's checkpoint of the last step, if it has
  // one.
  std::optional<bool> same_checkpoint = std::nullopt;
  std::string backend = {};  // what computes the network now: "oneDNN 2.6.3"
  // What else computed it in the run, and may round otherwise: bits may differ for that alone.
  std::vector<std::string> other_backends = {};
};

/// Trains `steps` steps again as the run in `folder` did, with `config`, which may have other
/// numbers of threads, in a temporary folder. Throws Error when such a run cannot be repeated or
/// has no fingerprints, or when `stop_requested` ends it.
[[nodiscard]] Verification verify(const Config& config, const std::filesystem::path& folder,
                                  std::int64_t steps, const StopRequested& stop_requested);

}  // namespace tandem
