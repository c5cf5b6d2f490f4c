// The command-line options by which a command takes the agent that a run has trained.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tandem/acting/games.h"
#include "tandem/algo/algorithm.h"
#include "tandem/nn/network.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// A trained policy and the games that it plays. Movable.
struct Agent {
  Config config;  // of the run, with the changes of the command line
  std::int64_t step = 0;
  std::filesystem::path checkpoint;
  std::vector<float> parameters;  // what the network is made over
  std::unique_ptr<Network> network;
  std::unique_ptr<Algorithm> algorithm;
};

/// The words of the command line. Must outlive the parsing.
class AgentOptions {
 public:
  /// Adds RUN and the options to a command.
  void add_to(CLI::App& app);

  /// The newest good checkpoint of the run, or the one asked for; damaged ones are named on stderr.
  /// The environments are those of the training, but a lost life does not end an episode. Throws
  /// Error when there is no run or no checkpoint, or they do not fit this program or the options.
  [[nodiscard]] Agent load() const;

  [[nodiscard]] const std::string& run() const { return run_; }
  [[nodiscard]] Play play() const { return greedy_ ? Play::greedy : Play::sampled; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  [[nodiscard]] Config config() const;
  void change_start(Config& config) const;

  std::string run_;
  std::optional<std::int64_t> checkpoint_;
  std::string start_;
  std::string device_;
  std::vector<std::string> sets_;
  bool greedy_ = false;
  std::uint64_t seed_ = 0;
};

}  // namespace tandem
