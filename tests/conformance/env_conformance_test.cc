#include "tests/conformance/env_conformance.h"

#include <cstdlib>
#include <filesystem>

namespace tandem {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Builtin, EnvConformance,
    testing::Values(EnvCase{"cartpole"}, EnvCase{"cartpole", {{"stack", "4"}, {"max_steps", "7"}}},
                    EnvCase{"catch"}, EnvCase{"catch", {{"size", "31"}}},
                    EnvCase{"catch", {{"players", "3"}}}, EnvCase{"pendulum"}, EnvCase{"memory"},
                    EnvCase{"memory", {{"delay", "1"}}}, EnvCase{"labyrinth"},
                    EnvCase{"labyrinth",
                            {{"maze_size", "3"},
                             {"apples", "4"},
                             {"seconds", "2"},
                             {"repeat", "7"},
                             {"mazes", "held_out"}}},
                    EnvCase{.id = "latency", .options = {{"mean_us", "5"}}, .random = false},
                    EnvCase{"latency",
                            {{"mean_us", "5"},
                             {"distribution", "gamma"},
                             {"observation", "pixels"},
                             {"wait", "sleeping"}}}),
    case_name);

// The games to test; none if the plug-in is not built.
std::vector<EnvCase> atari_cases() {
  const std::string folder = TANDEM_BINARY_DIR "/plugins";
  if (!std::filesystem::exists(folder + "/tandem_atari.so")) return {};
  setenv("TANDEM_PLUGIN_PATH", folder.c_str(), 0);
  std::vector<EnvCase> cases = {
      {"atari:Pong"},
      {"atari:Pong", {{"emulator", "reference"}}},
      {"atari:Breakout"},
      {"atari:Breakout",
       {{"life_loss_terminal", "true"}, {"fire_reset", "true"}, {"sticky", "0.25"}}},
      {"atari:Seaquest", {{"max_frames", "400"}, {"full_action_set", "true"}}}};
  for (auto& env_case : cases) env_case.allocating_steps = 3;
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Atari, EnvConformance, testing::ValuesIn(atari_cases()), case_name);

}  // namespace
}  // namespace tandem
