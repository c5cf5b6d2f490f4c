// The interface of the suite's tasks.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "physics.h"
#include "tandem/base/random.h"

namespace tandem::mujoco {

/// How an observation shows an unbounded angle: as dm_control's number, which grows by 2 pi with
/// each turn, or as its sine and its cosine.
enum class Turns { counted, sine_and_cosine };

/// An observation's numbers, in order. Keeps its memory when cleared, so that a second observation
/// allocates none. Value type.
class Features {
 public:
  explicit Features(Turns turns = Turns::counted) : turns_(turns) {}

  void clear() { values_.clear(); }
  void add(double value) { values_.push_back(value); }
  void add(std::span<const double> values) {
    values_.insert(values_.end(), values.begin(), values.end());
  }
  void add_unbounded_angle(double angle) {
    if (turns_ == Turns::counted) return add(angle);
    add(std::sin(angle));
    add(std::cos(angle));
  }
  [[nodiscard]] std::span<const double> values() const { return values_; }

 private:
  Turns turns_;
  std::vector<double> values_;
};

/// Defines the starts of episodes, the observations and the rewards. Holds no state of an episode;
/// one object serves one Physics, and only one thread at a time may use both.
class Task {
 public:
  virtual ~Task() = default;

  /// The numbers of the model that start() sets. A task that sets any needs its own copy of the
  /// model.
  [[nodiscard]] virtual std::vector<std::span<double>> drawn_numbers(mjModel&) const { return {}; }

  /// Draws the first state of an episode. `physics` was just reset; the caller calls forward().
  virtual void start(Physics& physics, Stream& stream) const = 0;

  virtual void observe(const Physics& physics, Features& features) const = 0;

  /// The reward of the step that led to this state: 0 to 1.
  [[nodiscard]] virtual double reward(const Physics& physics) const = 0;
};

}  // namespace tandem::mujoco
