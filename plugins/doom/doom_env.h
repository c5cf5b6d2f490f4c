// Doom as an environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actions.h"
#include "game.h"
#include "shrink.h"
#include "tandem/env/env.h"

namespace tandem::doom {

/// The form of Doom's observations and actions.
struct DoomOptions {
  std::string resolution = "160x120";
  std::string colours = "gray";  // or "rgb"
  std::string map = {};
  bool depth = false;
  std::int64_t width = 84;
  std::int64_t height = 84;
  std::int64_t stack = 4;
  std::int64_t frame_skip = 4;
  std::int64_t buttons = 1;
  double delta = 5;
  std::int64_t skill = 0;
};

/// A scenario of ViZDoom. A step is frame_skip tics, with the same buttons held; 35 tics are a
/// second. An episode terminates when the player dies or the map ends, and is truncated when the
/// scenario's time has passed, which observations do not show.
class DoomEnv : public Env {
 public:
  /// Throws Error when the engine is not there, and for options that contradict the scenario.
  DoomEnv(const std::filesystem::path& folder, const std::string& scenario,
          const DoomOptions& options);

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  void reset(Stream& stream, std::span<std::byte> frame) override;
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override;
  /// The episode's seed and actions, from which load() plays it again. A state of another game or a
  /// damaged one is an Error, and changes nothing.
  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;
  [[nodiscard]] Picture render() const override;

 private:
  void show(std::span<std::byte> frame);

  Game game_;
  std::string scenario_;
  DoomOptions options_;  // with the size of the observations
  std::vector<HeldButtons> actions_;
  EnvSpec spec_;
  Shrink shrink_;
  bool started_ = false;
  std::uint32_t seed_ = 0;            // of this episode
  std::vector<std::uint16_t> taken_;  // actions of this episode
};

}  // namespace tandem::doom
