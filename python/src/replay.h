// A replay as Python uses it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>  // in each file, so that all convert vectors alike
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "caller.h"
#include "lending_pool.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/replay/step_writer.h"
#include "tandem/replay/table.h"
#include "tandem/systems/apex/replay_budget.h"

namespace tandem::python {

/// A call of a replay that is closed, or that was closed while the call waited.
class ReplayClosed : public Error {
 public:
  using Error::Error;
};

/// Arrays as Python gives them: they lie in the CPU's memory, row by row.
template <class T, std::size_t dims>
using Given =
    nanobind::ndarray<const T, nanobind::ndim<dims>, nanobind::c_contig, nanobind::device::cpu>;

/// The observations and actions of a replay, and its n-step transitions. Value type.
struct ReplayShape {
  std::string kind;                 // in words, for saved files
  bool bytes = false;               // whether observations consist of bytes
  std::size_t item_bytes = 1;       // of each number of an observation
  std::vector<std::int64_t> shape;  // of an observation
  std::int64_t stack = 1;           // frames in an observation, along its first dimension
  std::size_t action_dims = 0;      // numbers of a continuous action; 0: discrete
  std::int64_t n = 3;               // steps of a transition
  double gamma = 0.99;              // discount of a step
};

/// The part of a replay that its writers share with it. A call keeps the table alive that it uses,
/// so that close() and load() may happen meanwhile. The members that change, but `largest`, need
/// the GIL.
class ReplayCore {
 public:
  ReplayCore(const std::vector<std::pair<std::string, std::string>>& options,
             const ReplayShape& shape, std::uint64_t seed);
  ReplayCore(const ReplayCore&) = delete;
  ReplayCore& operator=(const ReplayCore&) = delete;

  /// The table. Throws ReplayClosed after close(), and Error in a forked process.
  [[nodiscard]] std::shared_ptr<Table> table() const;

  /// An empty table with the replay's settings.
  [[nodiscard]] std::shared_ptr<Table> make_table() const;
  void set_table(std::shared_ptr<Table> table) { table_ = std::move(table); }

  /// Inserts the segments, whose unknown priorities become the largest so far (Schaul et al.,
  /// "Prioritized experience replay", algorithm 1), and removes transitions beyond the capacity.
  /// Throws as require_memory_for() does before it inserts.
  void insert(Table& table, Segments segments);

  /// Throws Error if the capacity of such transitions does not fit into the memory. Frames that are
  /// compressed tell their sizes only as they come; the constructor has checked all others.
  void require_memory_for(const Table& table);

  /// Notes a priority that may be the largest so far.
  void raise_largest(float priority);
  [[nodiscard]] float largest() const { return largest_; }

  /// A call that is under way, without the GIL.
  class Call {
   public:
    explicit Call(ReplayCore& core) : calls_(core.calls_) { calls_ += 1; }
    ~Call() { calls_ -= 1; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    std::atomic<int>& calls_;
  };
  /// How many such calls are under way.
  [[nodiscard]] int calls() const { return forked() ? 0 : calls_.load(); }

  /// Wakes all calls that wait, and frees the memory once the last call has ended.
  void close();
  [[nodiscard]] bool forked() const { return getpid() != process_; }

  [[nodiscard]] const ReplayShape& shape() const { return shape_; }
  [[nodiscard]] const ReplayConfig& config() const { return config_; }
  [[nodiscard]] const FrameFormat& format() const { return format_; }

 private:
  ReplayShape shape_;
  ReplayConfig config_;
  FrameFormat format_;
  std::uint64_t seed_;
  pid_t process_ = getpid();
  std::stop_source stop_;
  std::atomic<float> largest_ = 1;
  std::atomic<int> calls_ = 0;
  std::mutex memory_mutex_;  // of the next member
  std::optional<MemoryWatch> memory_;
  std::shared_ptr<Table> table_;  // null: closed
};

/// Writes the steps of some environments into a replay; for tandem.Writer. One thread at a time.
/// Each function needs the GIL and releases it while it works or waits.
class ReplayWriter {
 public:
  ReplayWriter(std::shared_ptr<ReplayCore> core, int rows, Autoreset autoreset);

  /// Arrays of one step, [rows, ...]: those of VectorStep. Observations are [rows, bytes].
  struct Step {
    Given<std::uint8_t, 2> observations;
    Given<std::uint8_t, 2> next_observations;
    Given<double, 1> rewards;
    Given<bool, 1> terminated;
    Given<bool, 1> truncated;
    std::optional<Given<float, 1>> action_values;
    std::optional<Given<float, 1>> state_values;
    std::optional<Given<float, 1>> final_values;
  };

  /// Adds a step. Waits for readers `timeout` seconds at most, for ever if that is empty, and
  /// returns whether it could add. All sizes must fit.
  bool add_discrete(const Given<std::int32_t, 1>& actions, const Step& step,
                    std::optional<double> timeout);
  bool add_continuous(const Given<float, 2>& actions, const Step& step,
                      std::optional<double> timeout);

  void end_episodes();
  void flush();

 private:
  bool add(const Step& step, std::optional<double> timeout);
  void insert(Table& table);

  std::shared_ptr<ReplayCore> core_;
  Occupancy occupancy_;
  StepWriter writer_;
  std::vector<Action> actions_;
  Segments full_;
};

/// A replay; for tandem.Replay. Many threads may use it. Each function needs the GIL and releases
/// it while it works or waits.
class Replay {
 public:
  Replay(const std::vector<std::pair<std::string, std::string>>& options, const ReplayShape& shape,
         std::uint64_t seed);

  /// The part that a writer shares. Throws as ReplayCore::table() does.
  [[nodiscard]] const std::shared_ptr<ReplayCore>& core() const;

  /// Draws a batch: a tuple of arrays with the members of SampleBatch, in the order observations,
  /// next_observations (both [size, bytes]), actions, controls, n_step_returns, discounts, weights,
  /// keys, priorities, ages; controls are None if actions are discrete. Waits `timeout` seconds at
  /// most, for ever if that is empty, and returns None if the time is up.
  nanobind::object sample(std::size_t size, std::optional<double> timeout);

  void update(const Given<std::uint64_t, 1>& keys, const Given<float, 1>& priorities);

  [[nodiscard]] TableState state() const;

  void save(const std::string& file) const;
  void load(const std::string& file);
  void close() {
    batches_ = nullptr;
    core_->close();
  }
  [[nodiscard]] int calls() const { return core_->calls(); }

 private:
  std::shared_ptr<ReplayCore> core_;
  std::size_t batch_size_ = 0;                         // of the last sample
  std::shared_ptr<LendingPool<SampleBatch>> batches_;  // of this size; null: none, or closed
  std::shared_ptr<std::atomic<int>> saves_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace tandem::python
