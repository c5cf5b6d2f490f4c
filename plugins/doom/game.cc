#include "game.h"

#include <ViZDoom.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "lower.h"
#include "maps.h"
#include "tandem/base/error.h"

namespace tandem::doom {
namespace {

namespace fs = std::filesystem;

/// Games of several people over a network, whose maps have no place for one alone.
constexpr std::array<std::string_view, 3> kNetworkGames = {"cig", "multi", "multi_duel"};

constexpr auto kEnded =
    "doom: the engine ended by itself, or somebody ended it; go on with `tandem train --resume`";
constexpr auto kInstall = "install the engine: tandem install doom, or tools/build_doom.sh";
constexpr auto kInstallAnew =
    "install the engine anew: tandem install doom --force, or tools/build_doom.sh";

fs::path data_of(const fs::path& folder) { return folder / "engine/vizdoom"; }

fs::path file_of(const fs::path& folder, const std::string& scenario) {
  return data_of(folder) / "scenarios" / (scenario + ".cfg");
}

/// The value of a key in a scenario's file; empty where it has none.
std::string value_in(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
    if (line.starts_with(key + "=")) return line.substr(key.size() + 1);
  }
  return {};
}

/// The game's own data that a scenario plays with. The scenarios of the package are for Doom II's.
fs::path game_data(const GameOptions& options) {
  const auto named = value_in(file_of(options.folder, options.scenario), "doom_game_path");
  return data_of(options.folder) / (named.empty() ? "freedoom2.wad" : named);
}

/// The file of a scenario's maps: its own, or the game's data where it has none.
fs::path map_data(const GameOptions& options) {
  const auto file = file_of(options.folder, options.scenario);
  const auto own = value_in(file, "doom_scenario_path");
  return own.empty() ? game_data(options) : file.parent_path() / own;
}

/// The map to play: the user's, or that of the scenario's file, or the first one. Throws Error for
/// one that is not there, which the engine would wait for.
std::string choose_map(const GameOptions& options) {
  const auto file = file_of(options.folder, options.scenario);
  auto maps = maps_in(map_data(options));
  if (maps.empty()) maps = maps_in(game_data(options));
  const bool named = !options.map.empty();
  auto wanted = lower(named ? options.map : value_in(file, "doom_map"));
  if (std::ranges::find(maps, wanted) != maps.end()) return wanted;
  if (named) {
    throw Error(fmt::format("env.map: 'doom:{}' has no map {}; it has {}", options.scenario, wanted,
                            fmt::join(maps, ", ")));
  }
  if (maps.empty()) {
    throw Error(fmt::format("doom: there are no maps in {}; put the whole file there",
                            game_data(options).string()));
  }
  return maps.front();
}

void check_files(const GameOptions& options) {
  const auto file = file_of(options.folder, options.scenario);
  for (const auto& needed :
       {file, game_data(options), map_data(options), data_of(options.folder) / "vizdoom.pk3"}) {
    if (!fs::exists(needed)) {
      throw Error(fmt::format("doom: {} is missing; {}", needed.string(), kInstall));
    }
  }
  for (const auto& program :
       {options.folder / "bin/doom_supervisor", data_of(options.folder) / "vizdoom"}) {
    if (access(program.c_str(), X_OK) != 0) {
      throw Error(
          fmt::format("doom: {} is missing or cannot be run; {}", program.string(), kInstallAnew));
    }
  }
}

/// Throws Error if the engine's shared memory would not fit: writing there would end this process.
void check_shared_memory(int width, int height, bool depth) {
  struct statvfs room {};
  if (statvfs("/dev/shm", &room) != 0) return;
  // The screen has three bytes a pixel or four, the distances one, and messages take the rest.
  const auto needed =
      static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height) * (depth ? 5 : 4) +
      (1U << 18);
  const auto left = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize;
  if (left >= needed) return;
  throw Error(fmt::format(
      "doom: a game needs {:.1f} MB of shared memory, and /dev/shm has {:.1f} MB left; use fewer "
      "environments or a smaller env.resolution, or give the container more (docker run "
      "--shm-size)",
      static_cast<double>(needed) / 1e6, static_cast<double>(left) / 1e6));
}

std::string mode_of(const std::string& resolution) {
  return "RES_" + resolution.substr(0, 3) + "X" + resolution.substr(4);
}

/// Calls a function of the client, and says its errors in tandem's words.
template <class Call>
auto client(const Call& call) {
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const vizdoom::ViZDoomUnexpectedExitException&) {
    throw Error(kEnded);
  } catch (const std::exception& error) {
    throw Error(fmt::format("doom: {}", error.what()));
  }
}

}  // namespace

struct Game::Engine {
  vizdoom::DoomGame game;
};

Game::Game(GameOptions options)
    : options_(std::move(options)), engine_(std::make_unique<Engine>()) {
  options_.folder = fs::absolute(options_.folder);  // the engine runs in another folder
  check_files(options_);
  configure();
  auto& game = engine_->game;
  for (const auto button : game.getAvailableButtons()) {
    buttons_.push_back({vizdoom::buttonToString(button), vizdoom::isDeltaButton(button)});
  }
  width_ = game.getScreenWidth();
  height_ = game.getScreenHeight();
  held_.resize(buttons_.size());
  const auto pixels = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  screen_.resize(3 * pixels);
  if (options_.depth) distances_.resize(pixels);
}

void Game::configure() {
  auto& game = engine_->game;
  const auto file = file_of(options_.folder, options_.scenario);
  client([&] {
    if (!game.loadConfig(file.string()) || game.getAvailableButtons().empty()) {
      throw Error(fmt::format("doom: {} is damaged; {}", file.string(), kInstallAnew));
    }
    game.setViZDoomPath((options_.folder / "bin/doom_supervisor").string());
    game.setDoomGamePath(game_data(options_).string());
    // The trainer asks for each step; no window, no sound, and no buffers that nobody reads.
    game.setMode(vizdoom::PLAYER);
    game.setWindowVisible(false);
    game.setSoundEnabled(false);
    game.setAudioBufferEnabled(false);
    game.setNotificationsBufferEnabled(false);
    game.setAutomapBufferEnabled(false);
    game.setScreenFormat(vizdoom::RGB24);
    game.setDepthBufferEnabled(options_.depth);
    game.setDoomMap(choose_map(options_));
    if (options_.skill != 0) game.setDoomSkill(static_cast<int>(options_.skill));
    game.setConfig("screen_resolution = " + mode_of(options_.resolution));
  });
}

Game::~Game() {
  if (client_ != 0 && client_ != getpid()) {
    std::ignore = engine_.release();  // the engine is of the process that forked this one
    return;
  }
  try {
    engine_->game.close();
  } catch (const std::exception&) {  // The engine has ended.
  }
}

void Game::launch() {
  check_shared_memory(width_, height_, options_.depth);
  client_ = getpid();
  try {
    engine_->game.addGameArgs(fmt::format("-tandem_client {}", client_));
    engine_->game.init();
  } catch (const std::exception& error) {
    throw Error(fmt::format("doom: the engine did not start: {}; {}", error.what(), kInstallAnew));
  }
  running_ = true;
}

/// Calls a function of the client. After an error the engine may still answer an earlier request.
template <class Call>
auto Game::in_step(const Call& call) {
  try {
    return client(call);
  } catch (...) {
    broken_ = true;
    throw;
  }
}

void Game::start(std::uint32_t seed) {
  // Another engine takes the place of one that has ended by itself, or is out of step.
  if (running_ && (broken_ || !engine_->game.isRunning())) {
    engine_ = std::make_unique<Engine>();
    configure();
    running_ = false;
    broken_ = false;
  }
  if (!running_) launch();
  in_step([&] {
    engine_->game.setSeed(seed);
    engine_->game.newEpisode();
    take_pictures();
  });
}

Outcome Game::act(std::span<const double> amounts, int tics) {
  return in_step([&] {
    auto& game = engine_->game;
    hold(amounts);
    game.advanceAction(static_cast<unsigned>(tics));
    take_pictures();
    const bool late = game.isEpisodeTimeoutReached();
    return Outcome{.reward = game.getLastReward(),
                   .ended = game.isEpisodeFinished() && (game.isPlayerDead() || !late),
                   .out_of_time = late};
  });
}

void Game::hold(std::span<const double> amounts) {
  held_.assign(amounts.begin(), amounts.end());
  engine_->game.setAction(held_);
}

void Game::take_pictures() {
  const auto state = engine_->game.getState();
  if (state == nullptr) return;
  if (state->screenBuffer->size() != screen_.size() ||
      (options_.depth && state->depthBuffer->size() != distances_.size())) {
    throw Error("doom: the engine's pictures have another size than env.resolution");
  }
  std::ranges::copy(*state->screenBuffer, screen_.begin());
  if (options_.depth) std::ranges::copy(*state->depthBuffer, distances_.begin());
}

std::vector<std::string> scenario_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data_of(folder) / "scenarios", error)) {
    if (entry.path().extension() != ".cfg") continue;
    const auto name = entry.path().stem().string();
    if (std::ranges::find(kNetworkGames, name) != kNetworkGames.end()) continue;
    if (fs::exists(game_data({.folder = folder, .scenario = name}))) names.push_back(name);
  }
  if (error) {
    throw Error(
        fmt::format("doom: {} is missing; {}", (data_of(folder) / "scenarios").string(), kInstall));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace tandem::doom
