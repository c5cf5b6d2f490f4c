// Environments with a script, whose observations tell their origin.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/vec_env.h"

namespace tandem {

// The behaviour and the counts of the scripted environments of one test.
struct Script {
  int stack = 3;
  int episode = 5;          // steps of a training episode
  int episodes_a_game = 2;  // until the game is over
  bool truncate = false;    // ends are truncations
  int failing = -1;         // index of an environment that fails from its third step on
  bool buggy = false;       // it fails with another exception than Error
  float bonus = 0;          // added to all rewards
  std::chrono::microseconds slow{0};
  std::atomic<int> made = 0;
  std::atomic<int> stepping = 0;
};

// Frames are {index, episode, step, random number} as floats, so each observation tells its origin.
class ScriptedEnv : public Env {
 public:
  ScriptedEnv(Script& script, int index) : script_(script), index_(index) {
    spec_ = {.dtype = DType::f32, .frame_shape = {4}, .stack = script.stack, .num_actions = 3};
    ++script_.made;
  }
  ~ScriptedEnv() override { --script_.made; }

  const EnvSpec& spec() const override { return spec_; }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    ++episode_;
    step_ = 0;
    write(stream, frame);
  }

  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    if (script_.slow.count() > 0) std::this_thread::sleep_for(script_.slow * (index_ + 1));
    if (++total_ >= 3 && index_ == script_.failing) {
      if (script_.buggy) throw std::out_of_range("no such cherry");
      throw Error("out of cherries");
    }
    ++step_;
    write(stream, frame);
    const bool end = step_ == script_.episode;
    return {.reward = static_cast<float>(actions.front().discrete) + script_.bonus,
            .terminated = end && !script_.truncate,
            .truncated = end && script_.truncate,
            .game_over = end && episode_ % script_.episodes_a_game == 0};
  }

  void save(StateWriter& writer) const override {
    writer.put(episode_);
    writer.put(step_);
    writer.put(total_);
  }
  void load(StateReader& reader) override {
    episode_ = reader.get<int>();
    step_ = reader.get<int>();
    total_ = reader.get<int>();
  }

 private:
  void write(Stream& stream, std::span<std::byte> frame) {
    const std::array<float, 4> values{static_cast<float>(index_), static_cast<float>(episode_),
                                      static_cast<float>(step_), stream.uniform()};
    std::memcpy(frame.data(), values.data(), sizeof(values));
  }

  Script& script_;
  int index_;
  EnvSpec spec_;
  int episode_ = 0;
  int step_ = 0;
  int total_ = 0;
};

inline EnvFactory scripted(Script& script) {
  return [&](int index) { return std::make_unique<ScriptedEnv>(script, index); };
}

// Observations of a VecEnv over scripted environments.
class Observations {
 public:
  Observations(int envs, int stack) : stack_(stack), values_(envs * stack * 4) {}

  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(values_)); }
  std::byte* of(int id) { return &bytes()[id * stack_ * 4 * sizeof(float)]; }
  // Step numbers of the stacked frames, the oldest first.
  std::vector<float> steps(int id) const { return column(id, 2); }
  std::vector<float> episodes(int id) const { return column(id, 1); }
  const std::vector<float>& values() const { return values_; }

 private:
  std::vector<float> column(int id, int which) const {
    std::vector<float> result;
    for (int i = 0; i < stack_; ++i) result.push_back(values_[(id * stack_ + i) * 4 + which]);
    return result;
  }

  int stack_;
  std::vector<float> values_;
};

}  // namespace tandem
