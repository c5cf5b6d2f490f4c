// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// One Atari 2600 game with the preprocessing that the papers train on.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "console.h"
#include "observer.h"
#include "tandem/env/env.h"

namespace tandem::atari {

/// The rules of play and the form of observations. The defaults are the protocol of the
/// asynchronous papers (A3C, PAAC, GA3C): minimal action sets, a frame skip of 4, no sticky
/// actions, random no-op starts.
struct AtariOptions {
  std::string emulator = "fast";
  std::int64_t frame_skip = 4;
  bool full_action_set = false;
  double sticky = 0;
  std::int64_t noop_max = 30;
  bool fire_reset = false;
  bool life_loss_terminal = false;
  bool lives_follow_fire = false;  // lost lives end episodes if FIRE begins them
  std::int64_t max_frames = 108000;
  std::int64_t stack = 4;
  std::int64_t mode = -1;
  std::int64_t difficulty = -1;
};

/// A game in ALE. Frames are {1, 84, 84} gray u8: the brighter of the last two emulated frames of a
/// step, area-resized. Steps, rewards and pixels equal Gymnasium's AtariPreprocessing.
///
/// reset() starts a game with 1 to noop_max no-ops of one frame each, then presses FIRE for one
/// step if the options ask for it and the game has it. If a lost life ended the training episode,
/// the same game goes on instead, with one no-op step (and FIRE). The results of these steps become
/// part of the next step's result, so that no reward and no end of a game is lost.
class AtariEnv : public Env {
 public:
  /// `rom` must be one that ALE knows. Throws Error when the game lacks the mode or difficulty, or
  /// when the CPU lacks the instructions that $TANDEM_CPU names.
  AtariEnv(const std::filesystem::path& rom, const AtariOptions& options, std::uint64_t seed);

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  void reset(Stream& stream, std::span<std::byte> frame) override;
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override;
  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;
  [[nodiscard]] Picture render() const override;

 private:
  using Screen = std::vector<std::uint8_t>;  // palette indices

  StepResult play(int action);  // holds an action for frame_skip frames
  void start_game(Stream& stream);
  void copy_screen(Screen& screen) const;
  void pass_time(int action);  // takes a step within reset; its result goes to carried_
  void show(std::span<std::byte> frame) const;

  AtariOptions options_;
  EnvSpec spec_;
  std::unique_ptr<Console> console_;
  GrayLevels levels_;
  std::vector<int> actions_;  // ALE's number for each action
  bool has_fire_ = false;
  Observer observer_;

  std::array<Screen, 2> shown_;  // the last step showed the brighter pixels of these two
  Screen previous_;              // the last but one frame of a step
  int lives_ = 0;
  bool life_lost_ = false;  // a lost life ended the last episode, and the game goes on
  StepResult carried_;      // the result of the steps within reset
};

}  // namespace tandem::atari
