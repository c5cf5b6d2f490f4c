// A training that runs in a thread of its own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tandem/cluster/cluster_link.h"
#include "tandem/env/family.h"
#include "tandem/run/run_control.h"

namespace tandem::python {

/// The words of a user who begins or resumes a training. Value type.
struct TrainingOrder {
  std::string system;                                         // empty: the settings name it
  std::string base;                                           // a file or a preset, or empty
  std::vector<std::pair<std::string, std::string>> settings;  // keys and the texts of values
  std::string folder;                                         // empty: as the command line names it
  bool resume = false;                                        // go on with the run in `folder`
  std::string python;  // the interpreter of environments in Python, if no other is named
  std::shared_ptr<ClusterLink> link = nullptr;  // trains on its cluster; null: on this machine
};

/// Facts of a training that is built. Value type.
struct TrainingFacts {
  std::string folder;       // of the run
  std::string preset;       // the default preset, if that was chosen
  std::int64_t budget = 0;  // steps of the whole run
};

/// Facts of an order for a cluster. Value type.
struct ClusterFacts {
  std::string system;       // its name
  std::string folder;       // of the run, absolute
  std::int64_t actors = 0;  // of the config
  bool has_shards = false;  // whether shards hold a replay
};

/// Finds these facts without building anything. Throws Error as a training would, and for a system
/// that does not train on a cluster.
[[nodiscard]] ClusterFacts cluster_facts(const TrainingOrder& order);

/// Builds a training and runs it, in a thread that takes no signals and needs nothing of Python.
/// Safe to use from many threads.
class TrainingThread {
 public:
  explicit TrainingThread(TrainingOrder order);
  /// Ends the training with a checkpoint, and waits for its end.
  ~TrainingThread();
  TrainingThread(const TrainingThread&) = delete;
  TrainingThread& operator=(const TrainingThread&) = delete;

  /// Stops the run, asks it for checkpoints, and counts its steps.
  [[nodiscard]] RunControl& control() { return *control_; }

  /// Makes waits for environments in other processes throw, when nobody needs the training any
  /// more: their start may take minutes. Does nothing once the training is built.
  void abandon();

  /// Waits at most so many seconds until the training is built. Throws the error of building.
  std::optional<TrainingFacts> wait_until_built(double seconds);

  /// Waits at most so many seconds for a line of metrics, and takes it out. The line is JSON. Empty
  /// if none came, because of the time or because the training has ended.
  std::optional<std::string> take_line(double seconds);

  /// Waits at most so many seconds until the training has ended; returns whether it has. Its thread
  /// is gone then, too.
  bool wait_until_ended(double seconds);

  /// Whether the training has ended. Lines may still be there.
  [[nodiscard]] bool ended() const;

  /// The error that ended the training; null if there was none or it has been taken.
  std::exception_ptr take_error();

  /// As many lines are kept as this; older ones are in metrics.jsonl alone.
  static constexpr std::size_t kMostLines = 100'000;

 private:
  void serve(const TrainingOrder& order) noexcept;
  void train(const TrainingOrder& order);
  void join();
  void put(const nlohmann::ordered_json& line);
  template <class Ready>
  bool wait(std::unique_lock<std::mutex>& lock, double seconds, Ready ready);

  const std::shared_ptr<RunControl> control_ = std::make_shared<RunControl>();
  mutable std::mutex mutex_;  // guards the members from here to error_
  std::condition_variable changed_;
  std::shared_ptr<EnvFamily> family_;  // of the environments, once they are known
  bool abandoned_ = false;
  std::optional<TrainingFacts> facts_;  // once the training is built
  std::deque<std::string> lines_;       // oldest first
  bool ended_ = false;
  std::exception_ptr error_;
  std::mutex joining_;
  std::thread thread_;  // last, because it uses the members above
};

}  // namespace tandem::python
