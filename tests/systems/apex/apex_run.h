// Runs of Ape-X for tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tandem/algo/dqn.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/systems/apex/apex.h"
#include "tests/support/latest_checkpoint.h"
#include "tests/support/scenario.h"
#include "tests/support/small_apex.h"

namespace tandem {

/// Runs of Ape-X with DQN on CartPole, by three actors of two environments.
class ApexRunTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path folder(const std::string& name) const {
    return root_.path() / name;
  }

  [[nodiscard]] Algorithm dqn(const ApexConfig& config) const {
    return make_dqn(dqn_, config.actors * config.envs, true);
  }

  std::vector<float> train(Scenario scenario, const ApexConfig& config,
                           const ReplayConfig& replay) {
    return train(std::move(scenario), config, replay, dqn(config));
  }

  std::vector<float> train(Scenario scenario, const ApexConfig& config, const ReplayConfig& replay,
                           const Algorithm& algorithm) {
    scenario.make_algorithm = [&] { return algorithm; };
    return tandem::train(scenario,
                         [&](TrainingContext& context) { train_apex(config, replay, context); });
  }

  [[nodiscard]] FoundCheckpoint latest(const std::string& name) const {
    return latest_of(folder(name));
  }

  /// The values of a key in all log lines that have it; at least one has.
  [[nodiscard]] std::vector<double> logged(const std::string& name, const std::string& key) const {
    std::ifstream metrics(folder(name) / "metrics.jsonl");
    std::vector<double> values;
    for (std::string text; std::getline(metrics, text);) {
      const auto line = nlohmann::json::parse(text);
      if (line.contains(key)) values.push_back(line.at(key));
    }
    if (values.empty()) throw std::runtime_error("no line of the log has " + key);
    return values;
  }

  const DqnConfig dqn_ = {.target_updates = 20};
  const ApexConfig small_ = kSmallApex;
  const ReplayConfig replay_ = small_replay();

 private:
  TemporaryFolder root_;
};

}  // namespace tandem
