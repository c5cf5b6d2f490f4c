// TORCS as an environment: the car races of A3C's paper.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "race_process.h"
#include "tandem/env/env.h"

namespace tandem::torcs {

/// The form of a race and of its observations.
struct TorcsOptions {
  std::string car = {};  // empty: that of the environment's name
  std::string track = "g-track-1";
  std::int64_t opponents = -1;   // -1: as the environment's name says
  std::string start = "random";  // or "grid"
  std::string driver = "agent";  // or "robot"
  std::int64_t repeat = 5;       // turns of a robot in a step
  double seconds = 60;
  double stuck_seconds = 5;  // 0: never
  std::int64_t width = 84;
  std::int64_t height = 84;
  std::int64_t stack = 1;
};

/// A car of A3C's paper, section 5.2.2.
struct Setting {
  const char* name;
  const char* car;
  std::int64_t opponents;
};

/// The four of Figure 2: a slow car and a fast one, alone and among opponents.
[[nodiscard]] const std::vector<Setting>& settings();

/// A drive. A step is `repeat` turns of 20 ms. Its reward is the speed along the track's axis times
/// the time, in metres: "proportional to the agent's velocity along the center of the track". An
/// episode is truncated after its seconds. It terminates when TORCS takes the car out, or when the
/// car has not got on for some seconds.
class TorcsEnv : public Env {
 public:
  /// Throws Error for a track or a car that is not there, and for stuck_seconds below 2 but 0.
  TorcsEnv(std::filesystem::path folder, const Setting& setting, const TorcsOptions& options);

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  void reset(Stream& stream, std::span<std::byte> frame) override;
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override;
  /// The race, its start's place and the actions, from which load() drives again. A state of
  /// another race or a damaged one is an Error, and changes nothing.
  void save(StateWriter& writer) const override;
  void load(StateReader& reader) override;
  [[nodiscard]] Picture render() const override;

 private:
  [[nodiscard]] DrivingOrder driving(std::size_t action) const;
  void start();
  void show(std::span<std::byte> frame);
  void note(std::size_t action, const Report& report);
  [[nodiscard]] bool stuck() const;

  std::filesystem::path folder_;
  std::string build_;  // of TORCS in it
  TorcsOptions options_;
  RaceOrder order_;
  EnvSpec spec_;
  PictureSize size_;
  std::unique_ptr<RaceProcess> race_;  // of this episode
  std::vector<std::uint8_t> taken_;    // actions of this episode
  std::vector<double> way_;            // metres of the newest steps, for stuck()
  std::vector<std::uint8_t> view_;     // red, green and blue of each pixel
};

}  // namespace tandem::torcs
