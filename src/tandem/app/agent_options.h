// Command-line options that choose a trained agent.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tandem/acting/games.h"
#include "tandem/trainer/agent.h"

namespace tandem {

/// The options RUN, --checkpoint and so on. Must outlive the parsing of the command line.
class AgentOptions {
 public:
  /// Adds RUN and the options to a command.
  void add_to(CLI::App& app);

  /// Loads the agent that the options choose; reports damaged checkpoints on stderr. Throws Error
  /// as Agent::load does, and for options that do not fit the agent's environment.
  /// `protocol` is as in AgentChoice.
  [[nodiscard]] Agent load(const std::string& protocol = "") const;

  /// The words of a command line that give the same options; where they take the newest checkpoint,
  /// that of the step `newest`, if it is given.
  [[nodiscard]] std::vector<std::string> words(std::optional<std::int64_t> newest = {}) const;

  /// The options given that choose the agent or its games, for messages; "" if there are none.
  [[nodiscard]] std::string given() const;

  [[nodiscard]] const std::string& run() const { return run_; }
  [[nodiscard]] const std::string& start() const { return start_; }
  [[nodiscard]] Play play() const { return greedy_ ? Play::greedy : Play::sampled; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  std::string run_;
  std::optional<std::int64_t> checkpoint_;
  bool best_ = false;
  std::string start_;
  std::string device_;
  std::vector<std::string> sets_;
  bool greedy_ = false;
  std::uint64_t seed_ = 0;
};

}  // namespace tandem
