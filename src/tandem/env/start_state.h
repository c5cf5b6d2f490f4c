// A state in which games can begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem {

/// An environment in the middle of a game, and the observations that its agents see there. Value
/// type.
struct StartState {
  std::vector<std::byte> env;           // as Env::save() wrote it
  std::vector<std::byte> observations;  // of each agent, [agents, observation]
  std::int64_t steps = 0;               // of the game until then
};

}  // namespace tandem
