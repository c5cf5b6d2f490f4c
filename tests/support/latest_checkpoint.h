// The checkpoint that a test's run has left.
#pragma once

#include <filesystem>
#include <string>

#include "tandem/run/checkpoint.h"

namespace tandem {

/// The latest checkpoint of the run in this folder.
[[nodiscard]] inline FoundCheckpoint latest_of(const std::filesystem::path& run) {
  return find_latest(run / "checkpoints", [](const std::string&) {});
}

}  // namespace tandem
