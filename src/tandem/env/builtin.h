// The environments that come with tandem and need nothing else: small problems for tests and
// measurements, and the labyrinth of A3C's paper.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tandem/base/field.h"
#include "tandem/env/env.h"
#include "tandem/env/family.h"
#include "tandem/env/labyrinth/labyrinth.h"

namespace tandem {

/// Options of all built-in environments. Each uses `stack`, `max_steps` and the options that its
/// comment below names. Value type.
struct BuiltinOptions {
  std::int64_t stack = 1;
  std::int64_t max_steps = 0;  // 0: the environment's own limit
  std::int64_t size = 84;
  std::int64_t players = 1;
  std::int64_t delay = 10;
  std::string observation = "small";
  double mean_us = 100;
  std::string distribution = "constant";
  std::string wait = "busy";
  std::string step_times = {};  // a file; empty: times are drawn
  labyrinth::LabyrinthOptions labyrinth = {};
  /// The content of that file, where it has been read already. No field sets it.
  std::shared_ptr<const std::vector<double>> recorded_times = nullptr;

  FieldList fields();
};

/// The family of cartpole, catch, labyrinth, latency, memory and pendulum.
std::unique_ptr<EnvFamily> make_builtin_family();

/// Each function makes one environment, without a limit on its steps.
///
/// The agent pushes a cart left or right so that the pole on it does not fall: the equations of
/// Gymnasium's CartPole-v1. Frames are {4} f32: position, velocity, angle, angular velocity. The
/// reward is 1 for each step.
std::unique_ptr<Env> make_cartpole(const BuiltinOptions& options);

/// A ball falls through a grid of 10 rows and 5 columns. The paddle below moves left, stays or
/// moves right, and must catch it: reward 1 or -1 at the end, as in bsuite's Catch. Frames are
/// {1, size, size} u8. With several `players`, each is an agent with a paddle of its own, and all
/// try to catch the one ball.
std::unique_ptr<Env> make_catch(const BuiltinOptions& options);

/// A pendulum must be swung up by a weak torque: the equations of Gymnasium's Pendulum-v1. One
/// continuous action in [-2, 2]. Frames are {3} f32: cosine and sine of the angle, velocity.
std::unique_ptr<Env> make_pendulum(const BuiltinOptions& options);

/// The first frame alone shows a cue of -1 or 1. After `delay` steps action 0 or 1 must name
/// the cue: reward 1 or -1. Frames are {3} f32: cue, whether the answer is due, share of the delay
/// that is left.
std::unique_ptr<Env> make_memory(const BuiltinOptions& options);

/// Apples and a portal in a new maze of rooms and corridors each episode, seen as {3, 84, 84} u8:
/// see labyrinth.h. An episode is truncated after its time. Throws Error as make_labyrinth() does.
std::unique_ptr<Env> make_labyrinth(const BuiltinOptions& options);

/// For measurements, with nothing to learn. A step takes a time drawn from `distribution` with mean
/// `mean_us` microseconds, busy or sleeping (`wait`). With `step_times` it takes a time that was
/// recorded in another environment: each instance draws a random time of the file for its first
/// step and then replays the times that follow, the first after the last. So the times keep their
/// correlation, which real games have: long steps come in rows. Episodes go on in the file. Frames
/// show the time as a multiple of the mean in {4} f32 or {1, 84, 84} u8 (`observation` "small" or
/// "pixels"). There are six actions; the reward is 0. Throws Error as read_recorded_times() does.
std::unique_ptr<Env> make_latency(const BuiltinOptions& options);

}  // namespace tandem
