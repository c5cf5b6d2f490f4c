#include "tandem/study/sweep_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/io/csv.h"
#include "tandem/io/files.h"
#include "tandem/run/run_directory.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

fs::path made(const fs::path& folder) {
  make_folder(folder);
  return folder;
}

std::string text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Adds a text for every key in which the two objects differ: "optimizer.decay is 0.99 there and
/// 0.95 here".
void find_differences(const ordered_json& before, const ordered_json& now,
                      std::vector<std::string>& found) {
  auto all = before;
  all.update(now);
  for (const auto& [key, unused] : all.items()) {
    const auto old = before.value(key, ordered_json("absent"));
    const auto other = now.value(key, ordered_json("absent"));
    if (old == other) continue;
    if (old.is_object() && other.is_object()) {
      find_differences(old, other, found);
    } else if (key == "runs" && old < other) {
      continue;  // more runs leave the earlier ones as they are
    } else {
      found.push_back(fmt::format("{} is {} there and {} here", key, text_of(old), text_of(other)));
    }
  }
}

/// Adds the keys that an older version lacked, with their defaults. net.layers was once a number,
/// whose key is now net.depth.
void add_later_keys(ordered_json& before, const SweepPlan& plan) {
  auto& config = before["config"];
  if (config.contains("net.layers") && config["net.layers"].is_number()) {
    config["net.depth"] = config["net.layers"];
    config.erase("net.layers");
  }
  for (const auto& [key, value] : plan.description.at("config").items()) {
    if (!config.contains(key) && plan.defaults.contains(key)) config[key] = plan.defaults[key];
  }
}

void check_same(const fs::path& folder, ordered_json before, const SweepPlan& plan) {
  const auto& now = plan.description;
  add_later_keys(before, plan);
  std::vector<std::string> found;
  find_differences(before, now, found);
  if (found.empty()) return;
  throw Error(
      fmt::format("{} holds another sweep: {}; give the options of then, or another folder (--out)",
                  folder.string(), fmt::join(found, "; ")));
}

ordered_json read_description(const fs::path& file) {
  const auto bytes = read_file(file);
  auto json = ordered_json::parse(as_text(bytes), nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) return json;
  throw Error(
      fmt::format("{} is damaged: choose another folder for the sweep (--out)", file.string()));
}

std::vector<std::string> csv_row(const PlannedRun& run, const RunOutcome& outcome,
                                 const fs::path& folder) {
  std::vector<std::string> row = {fmt::format("{}", run.number)};
  std::ranges::copy(run.values, std::back_inserter(row));
  const auto& reached = outcome.reached;
  for (auto& word :
       {fmt::format("{}", run.config.run.seed), outcome.why,
        outcome.score ? fmt::format("{}", *outcome.score) : "", fmt::format("{}", outcome.steps),
        fmt::format("{}", outcome.frames), fmt::format("{}", outcome.episodes),
        fmt::format("{:.3f}", outcome.seconds), reached ? fmt::format("{}", reached->frames) : "",
        reached ? fmt::format("{:.3f}", reached->seconds) : "", folder.generic_string(),
        outcome.message}) {
    row.push_back(word);
  }
  return row;
}

}  // namespace

fs::path SweepPaths::run(int number) const {
  return folder / "runs" / fmt::format("{:03}", number);
}

fs::path SweepPaths::before(int number) const {
  const auto first = folder / "before" / fmt::format("{:03}", number);
  auto free = first;
  for (int n = 2; fs::exists(free); ++n) free = fmt::format("{}-{}", first.string(), n);
  return free;
}

SweepFolder::SweepFolder(const fs::path& folder, const SweepPlan& plan)
    : paths_{made(folder)}, lock_(folder, "--out") {
  const auto file = paths_.description();
  if (fs::exists(file)) {
    check_same(folder, read_description(file), plan);
  } else if (holds_files(folder) && !fs::exists(fs::path(file) += ".tmp")) {
    // A sweep that was killed as it began leaves the .tmp file, and may begin again.
    throw Error(fmt::format("{} is not empty and holds no sweep: choose another folder (--out)",
                            folder.string()));
  }
  replace_durably(file, plan.description.dump(2) + "\n");
}

void check_holds(const fs::path& folder, const SweepPlan& plan) {
  const auto file = SweepPaths{folder}.description();
  if (!fs::exists(file)) throw Error(fmt::format("{} holds no sweep", folder.string()));
  check_same(folder, read_description(file), plan);
}

std::optional<RunOutcome> SweepFolder::outcome(const PlannedRun& run) const {
  return read_outcome(RunPaths{paths_.run(run.number)}.result());
}

void SweepFolder::write_csv(const SweepPlan& plan) const {
  std::vector<std::string> head = {"run"};
  std::ranges::copy(plan.keys, std::back_inserter(head));
  for (const auto* name : {"seed", "why_ended", "score", "steps", "frames", "episodes", "seconds",
                           "frames_to_return", "seconds_to_return", "folder", "message"}) {
    head.emplace_back(name);
  }
  auto text = csv_line(head);
  for (const auto& run : plan.runs) {
    const auto ended = outcome(run);
    const auto folder = fs::relative(paths_.run(run.number), paths_.folder);
    if (ended) text += csv_line(csv_row(run, *ended, folder));
  }
  replace_durably(paths_.csv(), text);
}

}  // namespace tandem
