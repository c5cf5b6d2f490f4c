// From what one environment goes through to n-step transitions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/env/env.h"
#include "tandem/replay/segment.h"

namespace tandem {

/// How transitions are made. Value type.
struct NStepOptions {
  std::int64_t n = 3;            // steps between S_t and S_{t+n} (Ape-X, appendix C)
  double gamma = 0.99;           // discount of a step
  std::size_t transitions = 50;  // of a segment (Ape-X, section 4.1: B)
};

/// What the actor's network says of the state that it acts in: Ape-X computes the first priorities
/// from it (section 3, appendix F "Adding data"). Value type.
struct Judgement {
  float action_value = 0;  // q(S_t, A_t)
  float state_value = 0;   // what bootstrapping takes S_t to be worth: max_a q(S_t, a)
};

/// Ape-X's local buffer (Algorithm 1, lines 7 to 10; appendix F, "Adding data"): for one
/// environment, which acts and steps in turn. A transition is made once the state n steps on has
/// been judged, and goes over the borders of segments; with an episode's end those of fewer steps
/// are made, without bootstrap where it terminated and with one from its last state where it was
/// cut off. Not thread-safe.
class NStepBuilder {
 public:
  NStepBuilder(const FrameFormat& format, const NStepOptions& options);

  /// An episode begins with this frame.
  void begin(std::span<const std::byte> frame);

  /// What is done in the newest state.
  void act(const Action& action, const Judgement& judgement);

  /// The frame that the action led to.
  void step(float reward, std::span<const std::byte> frame);

  /// The action ended the episode.
  void terminate(float reward);

  /// The action led to this frame, where the episode was cut off; `state_value` is what it is
  /// worth.
  void truncate(float reward, std::span<const std::byte> frame, float state_value);

  /// Enough transitions for a segment are made.
  [[nodiscard]] bool full() const;

  /// Gives away what was made. What later transitions need of it is kept. Best after act(): a frame
  /// later it has one more than its transitions need.
  std::unique_ptr<Segment> take();

  /// The transitions that are not finished, and those not taken yet.
  void save(StateWriter& writer) const;

  /// Throws Error when what was saved has another format.
  void load(StateReader& reader);

 private:
  /// An action whose transition is not finished: n-step returns grow with each step.
  struct Pending {
    ObservationView from;
    std::int32_t action = 0;
    float action_value = 0;
    double n_step_return = 0;
    double discount = 1;
    std::vector<float> controls = {};
  };

  void append(std::span<const std::byte> frame);
  void reward_all(float reward);
  void finish_first(ObservationView to, double discount, float state_value);
  void finish_all(ObservationView to, bool bootstrap, float state_value);
  std::unique_ptr<Segment> make_segment() const;

  FrameFormat format_;
  NStepOptions options_;
  FrameCodec codec_;
  std::unique_ptr<Segment> segment_;
  ObservationView state_;  // the newest; no frames: no episode has begun
  std::deque<Pending> pending_;
};

}  // namespace tandem
