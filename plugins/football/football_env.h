// Football as an environment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "play.h"
#include "rewards.h"
#include "shrink.h"
#include "tandem/env/env.h"

namespace tandem::football {

/// The form of football's observations and rewards.
struct FootballOptions {
  std::string representation = "smm";           // pixels, top_view; both also with _gray
  std::string rewards = "scoring,checkpoints";  // or "scoring"
  std::string pictures = "top_view";            // of videos; or camera
  std::int64_t camera_width = 320;              // of the pictures that become pixels
  std::int64_t stack = 4;
  std::int64_t players = 1;  // of the left team that agents control at once
  bool same_seed = false;    // whether all episodes have the engine's seed of the first
};

/// A scenario of Google Research Football (Kurach et al. 2019). Each agent controls one player of
/// the left team; with one agent that is the player next to the ball. A step is a tenth of a second
/// and one frame. An episode terminates by the scenario's rules, and is truncated when the
/// scenario's duration has passed, which observations do not show.
class FootballEnv : public Env {
 public:
  /// Throws Error when the engine's data are missing, and when the scenario has too few players.
  FootballEnv(const std::filesystem::path& folder, const Scenario& scenario,
              const FootballOptions& options);

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  void reset(Stream& stream, std::span<std::byte> frames) override;
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frames) override;
  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;
  [[nodiscard]] Picture render() const override;

 private:
  void show(std::span<std::byte> frames);
  [[nodiscard]] Picture by_own_camera() const;

  std::filesystem::path folder_;
  Scenario scenario_;
  FootballOptions options_;
  EnvSpec spec_;
  Play play_;
  Shrink shrink_;  // of pictures to observations
  CheckpointRewards checkpoints_;
  std::vector<float> rewards_;             // by agent
  mutable std::unique_ptr<Play> painter_;  // for by_own_camera(), whose first call makes it
};

}  // namespace tandem::football
