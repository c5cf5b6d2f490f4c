// Makes n-step transitions from the steps of one environment.
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
  std::size_t transitions = 50;  // transitions of a segment (Ape-X, section 4.1: B)
};

/// The network's judgement of the state in which the actor acts. Ape-X computes first priorities
/// from it (section 3, appendix F "Adding data"). Value type.
struct Judgement {
  float action_value = 0;  // q(S_t, A_t)
  float state_value = 0;   // the value of S_t for bootstrapping: max_a q(S_t, a)
};

/// Ape-X's local buffer (Algorithm 1, lines 7 to 10; appendix F, "Adding data") for one
/// environment. The caller alternates act() with step(), and ends an episode with terminate() or
/// truncate(). A transition is complete once the state n steps later has been judged; the segment
/// that it began in may have been taken by then. At an episode's end the last transitions have
/// fewer steps: a terminated episode has no bootstrap, a truncated one bootstraps from its last
/// state. Not thread-safe.
class NStepBuilder {
 public:
  NStepBuilder(const FrameFormat& format, const NStepOptions& options);

  /// Begins an episode with the frames of its first observation, the oldest first: as many as the
  /// stack has, or fewer if the oldest is repeated. Drops the unfinished transitions of a game that
  /// was lost, as where a resumed run cannot go on with its games.
  void begin(std::span<const std::byte> frames);

  /// Records the action taken in the newest state.
  void act(const Action& action, const Judgement& judgement);

  /// Records the action's reward and the frame that follows it.
  void step(float reward, std::span<const std::byte> frame);

  /// Records the action's reward, and that the action ended the episode.
  void terminate(float reward);

  /// Records the action's reward and the frame that follows it, at which the episode was cut off.
  /// `state_value` is the value of that frame's state.
  void truncate(float reward, std::span<const std::byte> frame, float state_value);

  /// Cuts the episode off at the newest state, whose value is `state_value`. Call it after step().
  void cut(float state_value);

  /// Whether enough transitions are complete for a segment, or so many frames have gathered that it
  /// is time to take one.
  [[nodiscard]] bool full() const;

  /// Returns the completed transitions, and keeps the frames that later transitions need. Call it
  /// right after act(): after the next step() the segment would have one frame too many.
  std::unique_ptr<Segment> take();

  /// Saves the unfinished transitions, and the finished ones that were not taken yet.
  void save(StateWriter& writer) const;

  /// Restores a saved state. Throws Error when it is damaged or has another format.
  void load(StateReader& reader);

 private:
  /// An unfinished transition. Each step adds to its n-step return.
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
  ObservationView state_;  // the newest state; without frames: no episode is under way
  std::deque<Pending> pending_;
};

}  // namespace tandem
