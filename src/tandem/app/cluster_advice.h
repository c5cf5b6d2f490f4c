// The part of `tandem advise` that forecasts a training on a cluster.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tandem/study/cluster_load.h"
#include "tandem/trainer/config_request.h"

namespace tandem {

/// The options of `tandem advise --cluster`. Must outlive the parsing of the command line.
class ClusterAdvice {
 public:
  /// Adds the options to the command.
  void add_to(CLI::App& command);

  /// Whether --cluster was given.
  [[nodiscard]] bool wanted() const { return !system_.empty(); }

  /// Measures the parts for about `seconds`, and prints the forecast. Throws Error for options that
  /// make no sense together, and for a system that has no forecast.
  void run(const std::vector<Setting>& settings, double seconds, bool json) const;

 private:
  [[nodiscard]] ClusterShape shape(double actors) const;

  std::string system_;
  std::string config_;
  int actors_ = 0;
  int shards_ = 1;
  int machines_ = 1;
  int cores_ = 0;
  std::string network_;
  std::vector<double> load_;  // steps/s and updates/s; empty: those that the cluster can carry
  bool shared_cores_ = false;
};

/// Bytes a second of a network's speed: "10Gbit/s", "800 Mbit/s" or "1.5gbit". Throws Error for
/// other texts.
[[nodiscard]] double network_bytes(const std::string& text);

}  // namespace tandem
