// A VecEnv as Python uses it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>  // in each file, so that all convert vectors alike

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "action_rows.h"
#include "array_pool.h"
#include "caller.h"
#include "environment_lookup.h"
#include "interruptible.h"
#include "tandem/env/vec_env.h"
#include "tandem/trainer/env_config.h"

namespace tandem::python {

using Seeds = std::vector<std::uint64_t>;
using Ids = std::vector<int>;

/// Environments for the Python classes tandem.VectorEnv, tandem.Env and tandem.ParallelEnv. Each
/// agent of each environment has a row, as in VecEnv: an environment has spec().agents rows, one
/// after the other. Observations that it returns lie in memory of a pool, which nothing overwrites
/// while an array refers to it. Each function needs the GIL and releases it while environments
/// compute. Throws Error for bad input, for two calls at once and in a forked process. Environment
/// ids are counted from 0.
class Environments {
 public:
  /// Looks the environment up and makes one of it for its spec. The others are made by the first
  /// start(), because their seeds are known then.
  Environments(const std::string& id, const Options& options, int count, int threads,
               Autoreset autoreset);
  /// Leaves the environments alone in a forked process, where their threads are missing.
  ~Environments();
  Environments(const Environments&) = delete;
  Environments& operator=(const Environments&) = delete;

  [[nodiscard]] const EnvSpec& spec() const { return spec_; }

  /// Makes all environments anew, environment i with seeds[i], and starts their games. Returns the
  /// observations [rows, ...].
  nanobind::object start(const Seeds& seeds);

  /// Whether the environments are made and have begun. A call that is refused changes nothing.
  [[nodiscard]] bool started() const { return started_; }

  /// Starts new games of all environments; their random streams go on.
  nanobind::object restart();

  /// Starts new games of these environments. Returns the observations of all, [rows, ...].
  nanobind::object restart_some(const Ids& ids);

  /// Takes a step in each environment, with an action for each row. Returns (observations [rows,
  /// ...], rewards [rows] float64, terminated [rows] bool, truncated [rows] bool, events). Events
  /// are None if no episode and no game has ended; else a list of finished games, each (k, return,
  /// steps) of the k-th environment of the call. The return of several agents is their mean.
  nanobind::tuple step_discrete(const Discrete& actions);
  nanobind::tuple step_continuous(const Continuous& actions);

  /// Starts a step of environments ids[k] with the actions of their rows, and returns at once where
  /// other threads step them.
  void send_discrete(const Discrete& actions, const Ids& ids);
  void send_continuous(const Continuous& actions, const Ids& ids);

  /// Waits until at least so many environments are ready; 0: all to which a step was sent. Returns
  /// the ids [k] of the ready ones, and what step() returns, with their rows.
  nanobind::tuple receive(int at_least);

  /// The observation that ended the last episode of a row.
  nanobind::object final_observation(int row);

  /// A picture, [height, width, 3] bytes.
  nanobind::object render(int id);

  /// Lets all later calls but close() throw Error. Any thread may call it, at any time: the
  /// interpreter, at its end, when another thread steps the environments.
  void refuse();

  /// Ends all threads and processes. More calls do nothing.
  void close();

  /// Blocks of observations that the pool has made; for tests.
  [[nodiscard]] std::size_t blocks() const { return observations_->size(); }

 private:
  void abandon();
  /// Waits for a call that a signal has cut short.
  void settle();
  VecEnv& require_started();
  void require_idle() const;
  void require_all_back();
  void require_known() const;
  [[nodiscard]] int in_flight() const;
  /// Runs a function that uses the environments, without the GIL.
  template <class Function>
  void run(Function function);
  /// The same, with results that nobody gets if a signal cuts it short; the function then goes on.
  template <class Function>
  void run_or_lose(Function function);
  void make(const Seeds& seeds);
  nanobind::tuple step();
  void require_idle(const Ids& ids) const;
  void send(const Ids& ids);
  void fetch(int at_least);
  nanobind::tuple results(std::span<const int> ids, ArrayPool::Lent observations);
  nanobind::object array(ArrayPool::Lent block, std::size_t rows) const;
  [[nodiscard]] std::size_t rows_of(std::span<const int> ids) const;
  [[nodiscard]] std::size_t offset(int id) const;
  [[nodiscard]] std::byte* slot(int id) const;

  EnvConfig config_;
  EnvSpec spec_;
  int count_;
  std::size_t agents_ = 1;  // rows of an environment
  std::size_t rows_ = 0;    // of all environments
  int threads_;
  Autoreset autoreset_;
  Occupancy occupancy_{
      "these environments belong to another process, of which this one is a fork: their threads "
      "are "
      "not here. Make the environments after the fork, or start processes by spawn",
      "another thread is using these environments. Let one thread at a time use them, or give each "
      "thread its own"};
  std::vector<std::size_t> shape_;           // of all observations
  std::vector<int> all_;                     // 0, 1, ...
  std::shared_ptr<ArrayPool> observations_;  // blocks of observations of all rows
  std::shared_ptr<ArrayPool> numbers_;       // blocks of rewards and ends
  std::unique_ptr<ActionRows> actions_;      // of the last step or send
  std::vector<std::byte*> slots_;            // of a send or a partial reset
  ArrayPool::Lent current_;                  // into which a call writes
  std::vector<std::byte> sent_;              // observations of steps that were sent
  std::vector<int> ready_;                   // not empty: a signal cut the call short that fetched
  bool started_ = false;
  bool receiving_ = false;   // in recv(), perhaps in one that a signal cut short
  bool lost_ = false;        // a signal cut a step() or a reset short
  std::exception_ptr left_;  // of a call that a signal cut short, until recv() throws it
  std::atomic<bool> closed_ = false;
  std::unique_ptr<Interruptible> interruptible_;  // for groups
  std::unique_ptr<VecEnv> vec_;                   // null before start() and after close()
};

}  // namespace tandem::python
