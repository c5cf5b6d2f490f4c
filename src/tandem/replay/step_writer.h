// Makes segments from the steps of a vector environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tandem/env/env.h"
#include "tandem/env/vec_env.h"
#include "tandem/replay/n_step_builder.h"

namespace tandem {

/// One step of several environments, a row each: S_t, A_t, R_{t+1} and S_{t+1}. Views of the
/// caller's memory.
struct VectorStep {
  std::span<const std::byte> observations = {};  // [rows, observation]: S_t
  std::span<const Action> actions = {};          // [rows]: A_t
  /// [rows, observation]: S_{t+1}; of a truncated episode its last observation.
  std::span<const std::byte> next_observations = {};
  std::span<const double> rewards = {};   // [rows]: R_{t+1}
  std::span<const bool> terminated = {};  // [rows]
  std::span<const bool> truncated = {};   // [rows]
  /// [rows]: q(S_t, A_t) and the value of S_t, which give first priorities (see Judgement). Both
  /// are empty if they are not known.
  std::span<const float> action_values = {};
  std::span<const float> state_values = {};
  /// [rows]: the values of truncated episodes' last states; empty if they are not known.
  std::span<const float> final_values = {};
};

using Segments = std::vector<std::unique_ptr<Segment>>;

/// Turns the steps of a vector environment into segments of n-step transitions. It needs the newest
/// frame of each S_{t+1} alone, and the whole first observation of an episode. If no values are
/// known, first priorities are NaN (see Segment::fill_priorities). Not thread-safe.
class StepWriter {
 public:
  /// The environments and the transitions that are made of them. Value type.
  struct Options {
    FrameFormat format;
    NStepOptions transitions;
    int rows = 1;  // environments
    Autoreset autoreset = Autoreset::next_step;
  };

  explicit StepWriter(const Options& options);

  /// Throws Error, and changes nothing, if the step does not follow the one before it or has a
  /// number that is not finite. It compares the newest frames of all rows; for one row in turn it
  /// also checks that S_{t+1} has the older frames of S_t. Of a step that only resets it requires
  /// that S_t is the last observation of the ended episode, and that no episode ends.
  void check(const VectorStep& step) const;

  /// Adds a step that check() accepted. In the first step of an episode S_t is its first
  /// observation. With Autoreset::next_step the step after an episode's end is left out, because it
  /// only resets the environment. Appends the segments that are full to `full`.
  void add(const VectorStep& step, Segments& full);

  /// Cuts all episodes off at their last observations: the next step of each row begins one.
  void end_episodes(Segments& full);

  /// Appends what is complete to `full`, whether or not a segment is full.
  void flush(Segments& full);

 private:
  void check_row(const VectorStep& step, std::size_t row) const;
  void check_reset(const VectorStep& step, std::size_t row) const;
  void check_stack(const VectorStep& step, std::size_t row) const;
  void add_row(const VectorStep& step, std::size_t row, Segments& full);
  [[nodiscard]] std::span<const std::byte> observation(std::span<const std::byte> all,
                                                       std::size_t row) const;
  [[nodiscard]] std::span<const std::byte> newest(std::span<const std::byte> all,
                                                  std::size_t row) const;
  /// The frames of a first observation without the repetitions of its oldest one.
  [[nodiscard]] std::span<const std::byte> distinct(std::span<const std::byte> observation) const;

  /// The episode that is under way in an environment.
  struct Row {
    NStepBuilder builder;
    std::vector<std::byte> last = {};  // newest frame of S_{t+1}; empty: the next step begins one
    bool resets = false;               // the episode has ended, and the next step only resets
  };

  Options options_;
  std::vector<Row> rows_;
  std::size_t watched_ = 0;  // the row whose stack is checked next
};

}  // namespace tandem
