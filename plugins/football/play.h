// The rules that the package's Python adds to the engine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <type_traits>

#include "game.h"
#include "scenario.h"
#include "tandem/base/state.h"
#include "tandem/env/env.h"

namespace tandem::football {

/// The result of one step. Value type.
struct Outcome {
  std::int32_t score_change = 0;  // goals of the left team less those of the right team
  bool ended = false;             // by a goal, a lost ball or an interruption, as the scenario says
  bool out_of_time = false;       // the scenario's duration has passed
};

/// An episode of a scenario, by the rules of the package's football_env_core.py: its ends, and what
/// happens when an agent keeps a kick-off or a throw-in waiting. One thread at a time uses an
/// instance.
class Play {
 public:
  /// `scenario` must outlive the instance; `agents` control players of its left team.
  Play(const std::filesystem::path& folder, const Scenario& scenario, std::int64_t agents,
       const Camera& camera = {});

  /// Begins the next episode with this seed of the engine.
  void start(std::uint32_t seed) { start_episode(begun_ ? progress_.episode + 1 : 0, seed); }

  /// Begins the episode of this number.
  void start_episode(std::uint32_t episode, std::uint32_t seed);

  /// Whether an episode has begun.
  [[nodiscard]] bool has_begun() const { return begun_; }
  /// The engine's seed of the episode.
  [[nodiscard]] std::uint32_t seed() const { return progress_.seed; }

  /// Takes one action of each agent.
  Outcome step(std::span<const Action> actions);

  [[nodiscard]] const Situation& situation() const { return game_.situation(); }
  /// The engine's view, only with a camera.
  [[nodiscard]] Picture draw() const { return game_.draw(); }
  [[nodiscard]] std::int64_t duration() const { return setup().game_duration; }

  void save(StateWriter& writer) const;
  /// Throws Error when the state is damaged or of another scenario.
  void load(StateReader& reader);

 private:
  /// The variables of an episode beside the engine's.
  struct Progress {
    std::uint32_t episode = 0;
    std::uint32_t seed = 0;
    std::int32_t score = 0;     // difference of goals after the step before
    std::int32_t mode = -1;     // after the step before
    Side owner = Side::nobody;  // the team that last owned the ball
    std::int32_t waiting = 0;   // steps since the game was last in normal play
  };
  static_assert(std::has_unique_object_representations_v<Progress>);  // it is saved as memory

  [[nodiscard]] const Setup& setup() const { return scenario_.of(progress_.episode); }
  void begin();
  [[nodiscard]] std::int32_t played(std::int64_t agent, std::int32_t action) const;
  [[nodiscard]] bool ends();

  const Scenario& scenario_;
  std::int64_t agents_;
  Game game_;
  Progress progress_;
  bool begun_ = false;
};

}  // namespace tandem::football
