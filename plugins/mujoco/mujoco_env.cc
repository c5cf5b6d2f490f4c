#include "mujoco_env.h"

#include <cstring>
#include <utility>

#include "lookup.h"

namespace tandem::mujoco {
namespace {

constexpr int kSide = 84;            // of an observation, in pixels
constexpr int kPictureHeight = 240;  // dm_control's default
constexpr int kPictureWidth = 320;
constexpr std::size_t kColours = 3;
constexpr std::size_t kPlane = std::size_t{kSide} * kSide;

EnvSpec make_spec(const Simulation& simulation, const MujocoOptions& options) {
  EnvSpec spec{
      .dtype = DType::f32,
      .frame_shape = {static_cast<std::int64_t>(simulation.observation().size())},
      .stack = options.stack,
      .frames_per_step = options.frame_skip,
      .render_fps = 1 / (simulation.control_timestep() * static_cast<double>(options.frame_skip))};
  if (options.pixels) {
    spec.dtype = DType::u8;
    spec.frame_shape = {kColours, kSide, kSide};
  }
  const mjModel& model = simulation.physics().model();
  for (int actuator = 0; actuator < model.nu; ++actuator) {
    const bool limited = model.actuator_ctrllimited[actuator] != 0;
    const auto range = entries<2>(model.actuator_ctrlrange, actuator);
    spec.action_low.push_back(static_cast<float>(limited ? range[0] : -mjMAXVAL));
    spec.action_high.push_back(static_cast<float>(limited ? range[1] : mjMAXVAL));
  }
  return spec;
}

}  // namespace

MujocoEnv::MujocoEnv(Simulation simulation, const MujocoOptions& options)
    : simulation_(std::move(simulation)), spec_(make_spec(simulation_, options)) {
  if (!options.pixels) return;
  observer_ = make_renderer(simulation_.physics().model(), kSide, kSide, options.plain_pixels);
  seen_.resize(kColours * kPlane);
}

void MujocoEnv::reset(Stream& stream, std::span<std::byte> frame) {
  simulation_.reset(stream);
  look();
  show(frame);
}

StepResult MujocoEnv::step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) {
  double reward = 0;
  bool cut = false;
  bool diverged = false;
  for (std::int64_t i = 0; i < spec_.frames_per_step && !cut; ++i) {
    const auto outcome = simulation_.step(actions.front().continuous);
    reward += outcome.reward;
    cut = outcome.out_of_time || outcome.diverged;
    diverged = outcome.diverged;
  }
  // The world of a simulation that diverged is at its start again; the last picture is the one
  // before, as the numbers are.
  if (!diverged) look();
  show(frame);
  return {.reward = static_cast<float>(reward), .truncated = cut, .game_over = cut};
}

Picture MujocoEnv::render() const {
  const auto& physics = simulation_.physics();
  if (painter_ == nullptr) {
    painter_ = make_renderer(physics.model(), kPictureHeight, kPictureWidth, true);
  }
  Picture picture{.width = kPictureWidth, .height = kPictureHeight, .rgb = {}};
  picture.rgb.resize(kColours * kPictureHeight * kPictureWidth);
  painter_->draw(physics, picture.rgb);
  return picture;
}

void MujocoEnv::load(StateReader& reader) {
  simulation_.load(reader);
  look();
}

void MujocoEnv::look() {
  if (observer_ != nullptr) observer_->draw(simulation_.physics(), seen_);
}

void MujocoEnv::show(std::span<std::byte> frame) const {
  if (observer_ == nullptr) return show_features(frame);
  for (std::size_t i = 0; i < kPlane; ++i) {
    for (std::size_t colour = 0; colour < kColours; ++colour) {
      frame[colour * kPlane + i] = static_cast<std::byte>(seen_[i * kColours + colour]);
    }
  }
}

void MujocoEnv::show_features(std::span<std::byte> frame) const {
  const auto features = simulation_.observation();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const auto single = static_cast<float>(features[i]);
    std::memcpy(&frame[i * sizeof(single)], &single, sizeof(single));
  }
}

}  // namespace tandem::mujoco
