// The only file that includes the engine's headers.
#include "game.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "game_env.hpp"
#include "tandem/base/error.h"

namespace tandem::football {
namespace {

const std::array<std::string, 19> kNames = {
    "idle",        "left",      "top_left",          "top",
    "top_right",   "right",     "bottom_right",      "bottom",
    "bottom_left", "long_pass", "high_pass",         "short_pass",
    "shot",        "sprint",    "release_direction", "release_sprint",
    "sliding",     "dribble",   "release_dribble"};

/// The engine's numbers of these actions.
constexpr std::array<int, 19> kActions = {
    game_idle,        game_left,      game_top_left,          game_top,
    game_top_right,   game_right,     game_bottom_right,      game_bottom,
    game_bottom_left, game_long_pass, game_high_pass,         game_short_pass,
    game_shot,        game_sprint,    game_release_direction, game_release_sprint,
    game_sliding,     game_dribble,   game_release_dribble};

static_assert(static_cast<int>(Role::gk) == e_PlayerRole_GK &&
              static_cast<int>(Role::cm) == e_PlayerRole_CM &&
              static_cast<int>(Role::cf) == e_PlayerRole_CF);

std::vector<FormationEntry> formation(const std::vector<Place>& team) {
  std::vector<FormationEntry> entries;
  for (const auto& place : team) {
    entries.emplace_back(place.x, place.y, static_cast<e_PlayerRole>(place.role), place.lazy,
                         place.controllable);
  }
  return entries;
}

boost::shared_ptr<ScenarioConfig> config_of(const Setup& setup, std::uint32_t seed,
                                            std::int64_t agents) {
  auto config = ScenarioConfig::make();
  config->ball_position.coords[0] = setup.ball_x;
  config->ball_position.coords[1] = setup.ball_y;
  config->left_team = formation(setup.left);
  config->right_team = formation(setup.right);
  config->left_agents = static_cast<int>(agents);
  config->right_agents = 0;
  config->use_magnet = setup.use_magnet;
  config->offsides = setup.offsides;
  config->left_team_difficulty = static_cast<float>(setup.left_team_difficulty);
  config->right_team_difficulty = static_cast<float>(setup.right_team_difficulty);
  config->deterministic = setup.deterministic;
  config->end_episode_on_score = setup.end_episode_on_score;
  config->end_episode_on_possession_change = setup.end_episode_on_possession_change;
  config->end_episode_on_out_of_play = setup.end_episode_on_out_of_play;
  config->game_duration = static_cast<int>(setup.game_duration);
  config->control_all_players = setup.control_all_players;
  config->second_half = static_cast<int>(setup.second_half);
  // As scenario_builder.py of the package: the seed also decides which team the engine computes
  // first, so that neither has an advantage by that.
  if (!setup.deterministic) {
    config->game_engine_random_seed = seed;
    config->reverse_team_processing = seed % 2 == 1;
  }
  return config;
}

Point point(const Position& position) {
  return {position.env_coord(0), position.env_coord(1), position.env_coord(2)};
}

void copy_team(const std::vector<PlayerInfo>& from, std::vector<Footballer>& to) {
  to.resize(from.size());
  std::ranges::transform(from, to.begin(), [](const PlayerInfo& player) {
    return Footballer{.position = point(player.player_position),
                      .movement = point(player.player_direction),
                      .tired = player.tired_factor,
                      .booked = player.has_card,
                      .active = player.is_active};
  });
}

/// The picture of OpenGL's rows, of which the lowest comes first.
Picture upright(const std::string& rows, int width, int height) {
  Picture picture{.width = width, .height = height, .rgb = {}};
  const auto bytes = 3 * static_cast<std::size_t>(width);
  picture.rgb.reserve(rows.size());
  for (auto row = static_cast<std::size_t>(height); row-- > 0;) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(rows.data()) + row * bytes;
    picture.rgb.insert(picture.rgb.end(), begin, begin + bytes);
  }
  return picture;
}

/// Makes an error of the engine one of tandem's.
template <class Call>
auto reported(Call call) {
  try {
    return call();
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    throw Error(what.starts_with("football") ? what : "football engine: " + what);
  }
}

}  // namespace

std::span<const std::string> action_names() { return kNames; }

class Game::Engine {
 public:
  Engine(const std::filesystem::path& given, const Camera& camera) : draws_(camera.width > 0) {
    const auto folder = std::filesystem::absolute(given);  // the engine puts paths together twice
    env_.game_config.data_dir = folder / "data";
    env_.game_config.font_file = folder / "font.ttf";
    env_.game_config.render = draws_;
    env_.game_config.render_steps = false;  // draw() does that where a picture is needed
    const auto lock = one_at_a_time();
    if (draws_) {
      env_.game_config.render_resolution_x = camera.width;
      env_.game_config.render_resolution_y = camera.height;
    }
    try {
      env_.start_game();
    } catch (const std::runtime_error& error) {  // it reads its data
      throw Error(
          fmt::format("{}; the data in {} may be incomplete: `tandem install football "
                      "--force` makes them anew, or let env.football_dir or $TANDEM_FOOTBALL_DIR "
                      "name another folder",
                      error.what(), folder.string()));
    }
  }

  /// The engine deletes what it drew with, which needs OpenGL's context.
  ~Engine() {
    ending_ = one_at_a_time();
    SetGame(&env_);
    if (draws_) GetGraphicsSystem()->SetContext();
  }
  Engine(Engine&&) = delete;
  Engine& operator=(Engine&&) = delete;

  /// The engine, as the one that this thread uses from now on.
  [[nodiscard]] GameEnv& use() {
    SetGame(&env_);
    return env_;
  }

  void reset(ScenarioConfig& config) {
    const auto lock = one_at_a_time();
    use().reset(config, draws_);
    env_.state = game_running;
  }

  /// Plays a step, in which a game with a camera moves it and writes its captions.
  void step() {
    const auto lock = one_at_a_time();
    std::optional<ContextHolder> context;
    if (draws_) context.emplace(&env_);
    use().step();
    drawn_ = false;
  }

  void load(const std::string& state) {
    const auto lock = one_at_a_time();
    const ContextHolder context(&use());
    env_.set_state(state);
    drawn_ = false;
  }

  [[nodiscard]] Picture draw() {
    const auto lock = one_at_a_time();
    const ContextHolder context(&use());
    // As the package: the first picture after a change of the engine has the camera where it was.
    if (!drawn_) env_.render(false);
    env_.render(true);
    drawn_ = true;
    const auto& config = env_.game_config;
    return upright(env_.get_frame(), config.render_resolution_x, config.render_resolution_y);
  }

 private:
  /// FreeType and Mesa's software renderer keep variables of the process without a lock, so one
  /// thread at a time uses games with a camera, whose steps write captions. Others need no lock.
  [[nodiscard]] std::unique_lock<std::mutex> one_at_a_time() const {
    static std::mutex mutex;
    return draws_ ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
  }

  std::unique_lock<std::mutex> ending_;  // is released when the engine has ended
  GameEnv env_;
  const bool draws_;
  bool drawn_ = false;  // the present situation
};

Game::Game(const std::filesystem::path& folder, const Camera& camera)
    : engine_(reported([&] { return std::make_unique<Engine>(folder, camera); })) {}

Game::~Game() = default;

void Game::start(const Setup& setup, std::uint32_t seed, std::int64_t agents) {
  reported([&] {
    engine_->reset(*config_of(setup, seed, agents));
    situation_.controlled.resize(static_cast<std::size_t>(agents));
    for (observe(); !situation_.in_play; observe()) engine_->step();
  });
}

void Game::act(std::int64_t agent, std::int32_t action) {
  const auto number = kActions.at(static_cast<std::size_t>(action));
  reported([&] { engine_->use().action(number, true, static_cast<int>(agent)); });
}

void Game::step() {
  reported([&] {
    do {
      engine_->step();
      observe();
    } while (!situation_.in_play);
  });
}

Picture Game::draw() const {
  return reported([&] { return engine_->draw(); });
}

std::string Game::save() const {
  return reported([&] { return engine_->use().get_state(""); });
}

void Game::load(const std::string& state) {
  reported([&] {
    engine_->load(state);
    observe();
  });
}

void Game::observe() {
  const SharedInfo info = engine_->use().get_info();
  situation_.ball = point(info.ball_position);
  situation_.ball_movement = point(info.ball_direction);
  situation_.ball_rotation = point(info.ball_rotation);
  copy_team(info.left_team, situation_.left);
  copy_team(info.right_team, situation_.right);
  for (std::size_t agent = 0; agent < situation_.controlled.size(); ++agent) {
    situation_.controlled[agent] =
        agent < info.left_controllers.size() ? info.left_controllers[agent].controlled_player : -1;
  }
  situation_.goals = {info.left_goals, info.right_goals};
  situation_.mode = info.game_mode;
  situation_.owner = static_cast<Side>(info.ball_owned_team);
  situation_.owning_player = info.ball_owned_player;
  situation_.step = info.step;
  situation_.in_play = info.is_in_play;
}

}  // namespace tandem::football
