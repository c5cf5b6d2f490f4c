// The interface that an emulator, a simulator or a toy problem implements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tandem/base/random.h"
#include "tandem/base/state.h"

namespace tandem {

/// The type of an observation's numbers: bytes, or 32-bit floats in the machine's order.
enum class DType { u8, f32 };

/// The observations and actions of an environment. VecEnv stacks frames along their first
/// dimension: a frame {1, 84, 84} with stack 4 is an observation {4, 84, 84}, oldest frame first.
struct EnvSpec {
  DType dtype = DType::f32;                    // of each number of a frame
  std::vector<std::int64_t> frame_shape = {};  // {channels, height, width} of pixels, or {features}
  std::int64_t stack = 1;                      // frames in an observation
  std::int64_t num_actions = 0;                // discrete actions; 0: continuous
  std::int64_t first_action = 0;  // discrete: the number of the first one as its users see it
  std::vector<float> action_low =
      {};  // continuous: lower bounds of each dimension; empty: discrete
  std::vector<float> action_high = {};         // continuous: upper bounds
  std::vector<std::string> action_names = {};  // discrete, may be empty
  std::int64_t frames_per_step = 1;            // emulated frames in a step (4 on Atari)
  double render_fps = 30;                      // pictures per second of real-time play, one a step
  bool partially_observed = false;  // a view hides something that matters: agents need a memory
  std::int64_t agents = 1;          // that act at once; each has a frame, an action and a reward
  bool saves = true;                // whether save() and load() work; if not, a resumed run starts
                                    // its environments anew

  /// Whether an action is one of num_actions; otherwise it is action_dims() numbers.
  [[nodiscard]] bool discrete() const { return num_actions > 0; }
  /// Numbers of one continuous action; 1 for discrete ones.
  [[nodiscard]] std::int64_t action_dims() const {
    return discrete() ? 1 : static_cast<std::int64_t>(action_low.size());
  }
  /// Bytes of one frame.
  [[nodiscard]] std::size_t frame_bytes() const {
    std::size_t count = dtype == DType::u8 ? 1 : 4;
    for (const auto size : frame_shape) count *= static_cast<std::size_t>(size);
    return count;
  }
  /// Bytes of the frames that all agents see after one step.
  [[nodiscard]] std::size_t step_bytes() const {
    return frame_bytes() * static_cast<std::size_t>(agents);
  }
  /// Bytes of one observation: `stack` frames.
  [[nodiscard]] std::size_t observation_bytes() const {
    return frame_bytes() * static_cast<std::size_t>(stack);
  }
  /// frame_shape with the stacked frames in its first dimension.
  [[nodiscard]] std::vector<std::int64_t> observation_shape() const {
    auto shape = frame_shape;
    shape.front() *= stack;
    return shape;
  }
};

/// One decision: `discrete` for discrete environments, `continuous` (action_dims values) otherwise.
struct Action {
  std::int32_t discrete = 0;               // in [0, num_actions), whatever first_action is
  std::span<const float> continuous = {};  // a view of the caller's memory
};

/// The result of one step. Rewards are raw; the algorithm clips them. Episodes of all agents of an
/// environment end together.
struct StepResult {
  float reward = 0;         // as the environment gives it; of several agents: their mean
  bool terminated = false;  // the training episode ended: no value beyond it
  bool truncated = false;   // a limit cut it off: values bootstrap from the final observation
  bool game_over = false;   // the whole game ended (a lost life may terminate before that)
  /// The reward of each agent, if there are several: a view of the environment's memory, valid
  /// until its next call.
  std::span<const float> rewards = {};
  /// The points that the step adds to the game's score, from which returns are counted; empty: the
  /// reward. They differ where a part of the reward only guides learning, as football's checkpoints
  /// do.
  std::optional<float> score = {};
};

/// A colour picture of the current state for videos: height x width x 3 bytes.
struct Picture {
  int width = 0;                  // in pixels; 0: no picture
  int height = 0;                 // in pixels
  std::vector<std::uint8_t> rgb;  // row by row from the top, red, green and blue of each pixel
  double pixel_aspect = 1;        // width of a pixel over its height, where it was meant to be seen
};

/// One environment instance, with one agent or with the spec().agents that act in it at once. After
/// terminated or truncated the caller calls reset before the next step: an environment never resets
/// itself. All randomness comes from the stream that is passed in. No allocation in step(). Not
/// thread-safe; separate instances may be used by separate threads.
class Env {
 public:
  virtual ~Env() = default;

  /// Its observations and actions.
  [[nodiscard]] virtual const EnvSpec& spec() const = 0;

  /// Starts a training episode and writes its first frame, one for each agent (agents x
  /// frame_bytes() bytes, 64-byte alignment not promised). Throws Error when the environment cannot
  /// start.
  virtual void reset(Stream& stream, std::span<std::byte> frames) = 0;

  /// Takes one action of each agent and writes the frames after it, also when the episode ends with
  /// it.
  virtual StepResult step(std::span<const Action> actions, Stream& stream,
                          std::span<std::byte> frames) = 0;

  /// Saves everything on which later steps depend. An instance that loads the state behaves, bit by
  /// bit, as the one that saved it. An environment that cannot do this says so by spec().saves, and
  /// these two functions are then never called.
  virtual void save(StateWriter& /*writer*/) const { throw Error(kSavesNothing); }
  /// Becomes the instance that save() wrote. Throws Error when that is damaged.
  virtual void load(StateReader& /*reader*/) { throw Error(kSavesNothing); }

  /// The current state in colour; an empty picture when the environment has none.
  [[nodiscard]] virtual Picture render() const { return {}; }

 private:
  static constexpr auto kSavesNothing =
      "the environment has no save() and load(): write both, or set EnvSpec::saves to false";
};

}  // namespace tandem
