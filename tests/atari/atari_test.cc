// The Atari plug-in, loaded as a program loads it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/family.h"

namespace tandem {
namespace {

const int kPluginPath = setenv("TANDEM_PLUGIN_PATH", TANDEM_BINARY_DIR "/plugins", 0);

TEST(Atari, PlaysPong) {
  auto family = find_family("atari:Pong");
  auto env = family->make("Pong", 1);
  EXPECT_EQ(env->spec().num_actions, 6);
  std::vector<std::byte> frame(env->spec().frame_bytes());
  Stream stream(1, 0);
  env->reset(stream, frame);
  float total = 0;
  int steps = 0;
  for (;; ++steps) {
    const auto result = env->step({.discrete = steps % 6}, stream, frame);
    total += result.reward;
    if (result.game_over) break;
  }
  EXPECT_GT(steps, 700);
  EXPECT_LE(total, -15);
}

}  // namespace
}  // namespace tandem
