// Runs without a system, for tests: a test reports updates by hand.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tandem/io/temporary_folder.h"
#include "tandem/run/training_run.h"
#include "tests/support/latest_checkpoint.h"

namespace tandem {

/// The JSON objects of a file with one in each line. Leaves out a last line that is half written.
inline std::vector<nlohmann::json> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(stream, line);) {
    auto entry = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (entry.is_object()) lines.push_back(std::move(entry));
  }
  return lines;
}

/// A run of ten updates of 160 steps in a temporary folder.
class HandmadeRunTest : public testing::Test {
 protected:
  HandmadeRunTest() {
    options_.system = "paac";
    options_.steps_budget = 1600;
    options_.stop_requested = [this] { return stop_; };
    options_.progress = nullptr;
  }

  std::unique_ptr<TrainingRun> start() {
    auto directory = RunDirectory::create(paths_.folder);
    directory.write_config("seed = 7\n");
    return std::make_unique<TrainingRun>(options_, std::move(directory));
  }
  std::unique_ptr<TrainingRun> resume() {
    const auto found = latest_of(paths_.folder);
    return std::make_unique<TrainingRun>(options_, RunDirectory::reopen(paths_.folder), &found);
  }
  /// The content of result.json.
  [[nodiscard]] nlohmann::json result() const {
    return nlohmann::json::parse(std::ifstream(paths_.result()));
  }

  TemporaryFolder folder_;
  RunPaths paths_{folder_.path() / "run"};
  TrainingRunOptions options_;
  bool stop_ = false;
};

}  // namespace tandem
