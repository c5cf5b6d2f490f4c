// Hashes of a run after each update, to compare it bit by bit with another run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "tandem/io/files.h"
#include "tandem/run/interval.h"

namespace tandem {

/// The state after one update: the steps so far, and the fingerprint of all measurements up to
/// then. Value type.
struct UpdateFingerprint {
  std::int64_t steps = 0;   // of all environments so far
  std::uint64_t value = 0;  // a hash, equal for equal measurements

  bool operator==(const UpdateFingerprint&) const = default;
};

/// Extends `before` by one report: its steps, losses, gradient norm, learning rate and episodes,
/// bit by bit, but not its times. A gradient that differs in any bit has another norm or changes
/// the next gradient, so equal fingerprints mean equal parameters, except by chance. Pure.
UpdateFingerprint next_fingerprint(const UpdateFingerprint& before, const UpdateReport& report);

/// Writes fingerprints to updates.bin in a run's folder. Not thread-safe. Throws Error when the
/// file cannot be written.
class FingerprintLog {
 public:
  /// Continues after the file's first `updates` fingerprints. Empty if the file has fewer, because
  /// the run began without fingerprints.
  static std::optional<FingerprintLog> go_on(const std::filesystem::path& folder,
                                             std::int64_t updates);

  /// Appends the fingerprint after one more update, which is the run's state after `steps` steps.
  void add(const UpdateReport& report, std::int64_t steps);

  /// Passes all new fingerprints to the operating system.
  void flush();

  /// Waits until all that were flushed are on the disk.
  void sync() { file_.sync(); }

 private:
  FingerprintLog(const std::filesystem::path& folder, UpdateFingerprint last);

  UpdateFingerprint last_;
  std::vector<std::byte> unwritten_;
  OutputFile file_;
};

/// The fingerprints of a run, in order; empty if it has no such file. Throws Error when the file
/// cannot be read.
std::vector<UpdateFingerprint> read_fingerprints(const std::filesystem::path& folder);

}  // namespace tandem
