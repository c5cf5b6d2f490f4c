#include "torcs_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "tandem/base/error.h"

namespace tandem::torcs {
namespace {

constexpr double kStuckMetres = 5;
constexpr double kLeastStuckSeconds = 2;
constexpr PictureSize kVideo = {.width = 480, .height = 360};

/// "A small discretization of the action space", of which the paper (section 5.2.3) says no more:
/// every one of three ways to steer with every one of three pedals.
struct Choice {
  const char* name;
  float steering;
  float throttle;
  float brake;
};
constexpr std::array<Choice, 9> kChoices = {{{"gas", 0, 1, 0},
                                             {"left+gas", 1, 1, 0},
                                             {"right+gas", -1, 1, 0},
                                             {"roll", 0, 0, 0},
                                             {"left", 1, 0, 0},
                                             {"right", -1, 0, 0},
                                             {"brake", 0, 0, 1},
                                             {"left+brake", 1, 0, 1},
                                             {"right+brake", -1, 0, 1}}};

Track find_track(const std::filesystem::path& folder, const std::string& name) {
  const auto tracks = tracks_in(folder);
  const auto found = std::ranges::find(tracks, name, &Track::name);
  if (found != tracks.end()) return *found;
  std::vector<std::string> names;
  for (const auto& track : tracks) names.push_back(track.name);
  throw Error(
      fmt::format("env.track: there is no track '{}'; there are {}", name, fmt::join(names, ", ")));
}

void check_car(const std::filesystem::path& folder, const std::string& name) {
  const auto cars = cars_in(folder);
  if (std::ranges::find(cars, name) != cars.end()) return;
  throw Error(
      fmt::format("env.car: there is no car '{}'; there are {}", name, fmt::join(cars, ", ")));
}

RaceOrder make_order(const std::filesystem::path& folder, const Setting& setting,
                     const TorcsOptions& options) {
  const auto car = options.car.empty() ? std::string(setting.car) : options.car;
  check_car(folder, car);
  auto order = make_order(find_track(folder, options.track), car);
  const auto opponents = options.opponents < 0 ? setting.opponents : options.opponents;
  order.opponents = static_cast<std::int32_t>(opponents);
  order.robot = options.driver == "robot" ? 1 : 0;
  return order;
}

EnvSpec make_spec(const TorcsOptions& options) {
  const auto turns = static_cast<double>(options.repeat);
  EnvSpec spec{.dtype = DType::u8,
               .frame_shape = {3, options.height, options.width},
               .stack = options.stack,
               .num_actions = static_cast<std::int64_t>(kChoices.size()),
               .frames_per_step = options.repeat,
               .render_fps = 1 / (kTurnSeconds * turns)};
  for (const auto& choice : kChoices) spec.action_names.emplace_back(choice.name);
  return spec;
}

/// A race as a saved state names it.
std::string words_of(const RaceOrder& order, const TorcsOptions& options) {
  return fmt::format("{} on {}, {} opponents, driven by the {}, {} turns a step", order.car,
                     order.track, order.opponents, options.driver, options.repeat);
}

/// The stamp of the build of TORCS in this folder; empty where it was copied without.
std::string build_of(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stamp");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t steps_in(double seconds, const TorcsOptions& options) {
  const auto step = kTurnSeconds * static_cast<double>(options.repeat);
  return static_cast<std::size_t>(std::max(1.0, std::round(seconds / step)));
}

}  // namespace

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = {{"slow_car", "p406", 0},
                                           {"slow_car_bots", "p406", 5},
                                           {"fast_car", "car1-ow1", 0},
                                           {"fast_car_bots", "car1-ow1", 5}};
  return all;
}

TorcsEnv::TorcsEnv(std::filesystem::path folder, const Setting& setting,
                   const TorcsOptions& options)
    : folder_(std::move(folder)),
      build_(build_of(folder_)),
      options_(options),
      order_(make_order(folder_, setting, options)),
      spec_(make_spec(options)),
      size_{.width = static_cast<std::int32_t>(options.width),
            .height = static_cast<std::int32_t>(options.height)},
      view_(static_cast<std::size_t>(3 * options.width * options.height)) {
  if (options.stuck_seconds > 0 && options.stuck_seconds < kLeastStuckSeconds) {
    throw Error("env.stuck_seconds: cars start standing, so that it is at least 2, or 0 for never");
  }
  if (options.stuck_seconds > 0) way_.resize(steps_in(options.stuck_seconds, options));
  taken_.reserve(steps_in(options.seconds, options) + 1);
}

DrivingOrder TorcsEnv::driving(std::size_t action) const {
  const auto& choice = kChoices[action];
  return {.steering = choice.steering,
          .throttle = choice.throttle,
          .brake = choice.brake,
          .turns = static_cast<std::int32_t>(options_.repeat)};
}

void TorcsEnv::reset(Stream& stream, std::span<std::byte> frame) {
  order_.place = options_.start == "random" ? stream.uniform() : -1;
  start();
  race_->draw(size_, view_);
  show(frame);
}

void TorcsEnv::start() {
  if (build_of(folder_) != build_) {
    throw Error(fmt::format(
        "torcs: {} was built anew while the run goes on, and may drive otherwise now; resume the "
        "run",
        folder_.string()));
  }
  taken_.clear();
  race_.reset();  // the old one ends before the new one starts
  race_ = std::make_unique<RaceProcess>(folder_, order_);
}

StepResult TorcsEnv::step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) {
  const auto action = static_cast<std::size_t>(actions.front().discrete);
  const auto report = race_->drive(driving(action), size_, view_);
  note(action, report);
  show(frame);
  const bool terminated = report.out != 0 || stuck();
  const bool out_of_time = taken_.size() >= steps_in(options_.seconds, options_);
  return {.reward = static_cast<float>(report.metres),
          .terminated = terminated,
          .truncated = out_of_time && !terminated,
          .game_over = terminated || out_of_time};
}

void TorcsEnv::note(std::size_t action, const Report& report) {
  if (!way_.empty()) way_[taken_.size() % way_.size()] = report.metres;
  taken_.push_back(static_cast<std::uint8_t>(action));
}

bool TorcsEnv::stuck() const {
  if (way_.empty() || taken_.size() < way_.size()) return false;
  return std::accumulate(way_.begin(), way_.end(), 0.0) < kStuckMetres;
}

void TorcsEnv::save(StateWriter& writer) const {
  writer.put_string(words_of(order_, options_));
  writer.put(static_cast<std::uint8_t>(race_ != nullptr));
  writer.put(order_.place);
  writer.put_values(taken_);
}

void TorcsEnv::load(StateReader& reader) {
  const auto words = reader.get_string();
  const bool started = reader.get<std::uint8_t>() != 0;
  const auto place = reader.get<double>();
  const auto actions = reader.get_values<std::uint8_t>();
  const auto own = words_of(order_, options_);
  if (words != own) {
    throw Error(
        fmt::format("torcs: the saved state is of another race: {}; this one is {}", words, own));
  }
  const bool is_place = place == -1 || (place >= 0 && place < 1);
  if (!is_place ||
      std::ranges::any_of(actions, [](auto action) { return action >= kChoices.size(); })) {
    throw Error("torcs: the saved state is damaged");
  }
  order_.place = place;
  taken_.clear();
  race_.reset();
  if (!started) return;
  start();
  for (const auto action : actions) note(action, race_->drive(driving(action)));
}

Picture TorcsEnv::render() const {
  if (race_ == nullptr) return {};
  Picture picture{.width = kVideo.width, .height = kVideo.height, .rgb = {}};
  picture.rgb.resize(static_cast<std::size_t>(3) * kVideo.width * kVideo.height);
  race_->draw(kVideo, picture.rgb);
  return picture;
}

/// From pixels of three colours to three planes.
void TorcsEnv::show(std::span<std::byte> frame) {
  const auto pixels = view_.size() / 3;
  for (std::size_t at = 0; at < pixels; ++at) {
    frame[at] = static_cast<std::byte>(view_[3 * at]);
    frame[pixels + at] = static_cast<std::byte>(view_[3 * at + 1]);
    frame[2 * pixels + at] = static_cast<std::byte>(view_[3 * at + 2]);
  }
}

}  // namespace tandem::torcs
