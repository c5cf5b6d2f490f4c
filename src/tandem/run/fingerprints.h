// The bits of a run, update by update, to hold another run against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "tandem/io/files.h"
#include "tandem/run/interval.h"

namespace tandem {

/// What one update left: steps so far, and the fingerprint of all that was measured up to then.
/// Value type.
struct UpdateFingerprint {
  std::int64_t steps = 0;   // of all environments so far
  std::uint64_t value = 0;  // equal for equal bits

  bool operator==(const UpdateFingerprint&) const = default;
};

/// `before` and one report more: its steps, losses, gradient norm, learning rate and episodes, bit
/// by bit, but nothing of its times. A gradient that differs in a bit anywhere has another norm or
/// makes the next one differ, so equal fingerprints mean equal parameters, but for chance. Pure.
UpdateFingerprint next_fingerprint(const UpdateFingerprint& before, const UpdateReport& report);

/// Writes fingerprints to updates.bin in a run's folder. Not thread-safe. Throws Error when the
/// file cannot be written.
class FingerprintLog {
 public:
  /// Goes on after the first `updates` of the file. None if it has less: the run began without one.
  static std::optional<FingerprintLog> go_on(const std::filesystem::path& folder,
                                             std::int64_t updates);

  /// Goes on to the fingerprint after one more update.
  void add(const UpdateReport& report);

  /// What was added is with the operating system.
  void flush();

 private:
  FingerprintLog(const std::filesystem::path& folder, UpdateFingerprint last);

  UpdateFingerprint last_;
  std::vector<std::byte> unwritten_;
  OutputFile file_;
};

/// Those of a run, in order; none where it has no such file. Throws Error when it cannot be read.
std::vector<UpdateFingerprint> read_fingerprints(const std::filesystem::path& folder);

}  // namespace tandem
