#include "tandem/run/run_directory.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/io/files.h"
#include "tandem/run/checkpoint.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

/// The number of a cluster's shards, which its driver writes before the run begins.
constexpr auto kClusterFacts = "cluster.json";

}  // namespace

RunDirectory::RunDirectory(RunPaths paths)
    : paths_(std::move(paths)), lock_(paths_.folder, "--run-dir") {}

RunDirectory RunDirectory::create(const fs::path& folder) {
  make_folder(folder);
  if (holds_files(folder, kClusterFacts) && !fs::exists(RunPaths{folder}.config())) {
    throw Error(fmt::format("{} is not empty: choose another folder for the run (--run-dir)",
                            folder.string()));
  }
  RunDirectory directory({folder});
  if (holds_files(folder, kClusterFacts) && !has_checkpoint(directory.paths().checkpoints())) {
    throw Error(
        fmt::format("{} holds a run that ended before its first checkpoint: delete that folder, or "
                    "train in another one (--run-dir)",
                    folder.string()));
  }
  if (holds_files(folder, kClusterFacts)) {
    throw Error(
        fmt::format("{} holds a run already: go on with it (--resume {}), or train in "
                    "another folder (--run-dir)",
                    folder.string(), folder.string()));
  }
  return directory;
}

RunDirectory RunDirectory::reopen(const fs::path& folder) {
  require_run(folder);
  return RunDirectory({folder});
}

void RunDirectory::note_measured(std::span<const std::string> keys) const {
  replace_durably(paths_.measured(), fmt::format("{}\n", fmt::join(keys, "\n")));
}

void RunDirectory::note_backend(const std::string& now, const std::string& before) const {
  auto names = noted_backends(paths_);
  if (names.empty() && !before.empty()) names.push_back(before);
  if (names.empty() || names.back() != now) names.push_back(now);
  replace_durably(paths_.backends(), fmt::format("{}\n", fmt::join(names, "\n")));
}

std::vector<std::string> noted_backends(const RunPaths& run) {
  std::ifstream file(run.backends());
  std::vector<std::string> names;
  for (std::string name; std::getline(file, name);) names.push_back(name);
  return names;
}

void RunDirectory::note_budget(Budget now, std::int64_t before) const {
  auto budgets = noted_budgets(paths_);
  // A damaged checkpoint lets a run resume from before its last resumption.
  std::erase_if(budgets, [&](const Budget& one) { return one.from >= now.from; });
  if (budgets.empty() && now.from > 0) budgets.push_back({.from = 0, .steps = before});
  if (budgets.empty() || budgets.back().steps != now.steps) budgets.push_back(now);
  std::string lines;
  for (const auto& one : budgets) lines += fmt::format("{} {}\n", one.from, one.steps);
  replace_durably(paths_.budgets(), lines);
}

std::vector<Budget> noted_budgets(const RunPaths& run) {
  std::ifstream file(run.budgets());
  std::vector<Budget> budgets;
  for (Budget one; file >> one.from >> one.steps;) budgets.push_back(one);
  return budgets;
}

void require_run(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(RunPaths{folder}.config(), error)) return;
  if (error) {
    throw Error(
        fmt::format("cannot read {}: {}; check its permissions", folder.string(), error.message()));
  }
  throw Error(
      fmt::format("{} is not the folder of a run: there is no config.toml in it; name the folder "
                  "that `tandem train` made",
                  folder.string()));
}

void RunDirectory::write_config(std::string_view toml) const {
  replace_durably(paths_.config(), toml);
}

fs::path default_run_folder(const std::string& system, const std::string& env, std::uint64_t seed,
                            std::chrono::system_clock::time_point now) {
  auto name = env;
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  std::ranges::replace_if(
      name, [&](char c) { return !plain(c); }, '-');
  const auto time = std::chrono::system_clock::to_time_t(now);
  const auto folder =
      fmt::format("runs/{}-{}-s{}-{:%Y%m%d-%H%M%S}", system, name, seed, fmt::localtime(time));
  fs::path free = folder;
  make_folder(free.parent_path());
  std::error_code error;
  for (int n = 2; !fs::create_directory(free, error); ++n) {
    if (error) throw write_error(free, error.value());
    free = fmt::format("{}-{}", folder, n);
  }
  return free;
}

}  // namespace tandem
