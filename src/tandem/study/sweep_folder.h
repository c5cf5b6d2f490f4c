// The folder of a sweep: its description, its runs, and their results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tandem/run/folder_lock.h"
#include "tandem/study/run_outcome.h"
#include "tandem/study/sweep_plan.h"

namespace tandem {

/// The files of a sweep. Value type.
struct SweepPaths {
  std::filesystem::path folder;

  [[nodiscard]] std::filesystem::path description() const { return folder / "sweep.json"; }
  [[nodiscard]] std::filesystem::path csv() const { return folder / "sweep.csv"; }
  [[nodiscard]] std::filesystem::path run(int number) const;  // runs/007

  /// A free path for the folder of an earlier attempt at a run: before/007, before/007-2 and so on.
  /// It lies beside `runs`, so that nothing that reads the sweep takes it for a run.
  [[nodiscard]] std::filesystem::path before(int number) const;
};

/// The folder of a sweep, which no other process can use while this object exists. Not thread-safe.
class SweepFolder {
 public:
  /// Makes the folder, or resumes the sweep there. Throws Error when it holds other files, or
  /// another sweep; the message names all differences. A larger number of runs is not a difference.
  SweepFolder(const std::filesystem::path& folder, const SweepPlan& plan);

  [[nodiscard]] const SweepPaths& paths() const { return paths_; }

  /// Throws Error if the folder was moved, renamed or removed meanwhile. Any thread may call it.
  void require_in_place() const { lock_.require_in_place(); }

  /// The outcome of a run; empty if it has not ended.
  [[nodiscard]] std::optional<RunOutcome> outcome(const PlannedRun& run) const;

  /// Writes sweep.csv: a line for each run that has ended, in the order of the plan. The file is
  /// complete at any moment. Throws Error when it cannot be written.
  void write_csv(const SweepPlan& plan) const;

 private:
  SweepPaths paths_;
  FolderLock lock_;
};

/// Throws Error unless the folder holds this sweep; the message names all differences, of which a
/// larger number of runs is none. Changes nothing there.
void check_holds(const std::filesystem::path& folder, const SweepPlan& plan);

}  // namespace tandem
