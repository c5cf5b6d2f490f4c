// The folder of a run, and the right to train into it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/run/folder_lock.h"

namespace tandem {

/// The files of a run. Value type.
struct RunPaths {
  std::filesystem::path folder;  // of the run

  /// The resolved config.
  [[nodiscard]] std::filesystem::path config() const { return folder / "config.toml"; }
  /// The measurements, one JSON object a line.
  [[nodiscard]] std::filesystem::path metrics() const { return folder / "metrics.jsonl"; }
  /// The fingerprints of its updates, if it repeats.
  [[nodiscard]] std::filesystem::path updates() const { return folder / "updates.bin"; }
  /// The folder of the checkpoints, each of which is a folder.
  [[nodiscard]] std::filesystem::path checkpoints() const { return folder / "checkpoints"; }
  /// The results of evaluations during the training, one JSON object a line.
  [[nodiscard]] std::filesystem::path evaluations() const { return folder / "evaluations.jsonl"; }
  /// The folder of the checkpoint with the best evaluation, which is a folder in it.
  [[nodiscard]] std::filesystem::path best() const { return folder / "best"; }
  /// How the run ended.
  [[nodiscard]] std::filesystem::path result() const { return folder / "result.json"; }
  /// The libraries that computed its networks; see noted_backends().
  [[nodiscard]] std::filesystem::path backends() const { return folder / "backends.txt"; }
  /// The numbers of steps that it was to train; see noted_budgets().
  [[nodiscard]] std::filesystem::path budgets() const { return folder / "budgets.txt"; }
  /// The keys of config.toml whose values random play has measured, one a line.
  [[nodiscard]] std::filesystem::path measured() const { return folder / "measured.txt"; }
};

/// The number of steps that a run trains, for as long as it is the run's. Value type.
struct Budget {
  /// The step at which the run began or went on with it.
  std::int64_t from = 0;
  /// The run's steps in all.
  std::int64_t steps = 0;

  friend bool operator==(const Budget&, const Budget&) = default;
};

/// The folder of a run while this process trains into it. No other process can train there until
/// this is destroyed or the process ends. Not thread-safe, except that any thread may call
/// require_in_place().
class RunDirectory {
 public:
  /// Makes the folder of a new run. Throws Error when it holds files already, is locked, or cannot
  /// be made.
  static RunDirectory create(const std::filesystem::path& folder);

  /// Opens the folder of a run to resume. Throws Error when there is none, or another process
  /// trains into it.
  static RunDirectory reopen(const std::filesystem::path& folder);

  /// The paths of its files.
  [[nodiscard]] const RunPaths& paths() const { return paths_; }

  /// Throws Error if the folder was moved, renamed or removed meanwhile. Call it before each write
  /// by the folder's path: a new folder there would split the run in two.
  void require_in_place() const { lock_.require_in_place(); }

  /// Writes the resolved config to config.toml.
  void write_config(std::string_view toml) const;

  /// Notes the keys whose values the run has measured before it began.
  void note_measured(std::span<const std::string> keys) const;

  /// Appends the backend that computes the run's networks from now on to those of noted_backends(),
  /// unless it is their last one. If there are none yet, `before` comes first, unless it is empty.
  void note_backend(const std::string& now, const std::string& before) const;

  /// Appends the budget to those of noted_budgets() that began earlier, unless the last of these
  /// has as many steps. If there are none yet, and `now` is not of the run's start, `before` is the
  /// budget of its start.
  void note_budget(Budget now, std::int64_t before) const;

 private:
  explicit RunDirectory(RunPaths paths);

  RunPaths paths_;
  FolderLock lock_;
};

/// The backends that computed a run's networks, in the order of use: "oneDNN 2.6.3", "libtorch".
/// Empty if the version of tandem that trained the run did not record them.
[[nodiscard]] std::vector<std::string> noted_backends(const RunPaths& run);

/// The budgets of a run, in the order of use. Empty if the version of tandem that trained the run
/// did not record them.
[[nodiscard]] std::vector<Budget> noted_budgets(const RunPaths& run);

/// Throws Error unless the folder is that of a run, which has a config.toml.
void require_run(const std::filesystem::path& folder);

/// Makes and returns "runs/paac-atari-Pong-s1-20170531-142501", followed by "-2" and so on if it is
/// taken, so that trainings that begin in the same second have different ones. Throws Error if it
/// cannot be made.
std::filesystem::path default_run_folder(const std::string& system, const std::string& env,
                                         std::uint64_t seed,
                                         std::chrono::system_clock::time_point now);

}  // namespace tandem
