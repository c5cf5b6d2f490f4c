#include "observer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "console.h"
#include "roms.h"

namespace tandem::atari {
namespace {

using Pixels = std::vector<std::uint8_t>;

// These constants are the same as in tests/golden/area_resize.py.
constexpr int kScreens = 10;
constexpr int kRepeats = 3;

GrayLevels mixed_levels() {
  GrayLevels levels{};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] = static_cast<std::uint8_t>(i * 37 % 256);
  }
  return levels;
}

Pixels noise(std::size_t count) {
  Pixels pixels(count);
  std::uint32_t state = 1;
  for (auto& pixel : pixels) {
    state = state * 1664525 + 1013904223;
    pixel = static_cast<std::uint8_t>(state >> 24);
  }
  return pixels;
}

// Screens of noise, one after the other.
Pixels noisy_screens(int height) {
  return noise(std::size_t{kScreens} * kScreenWidth * static_cast<std::size_t>(height));
}

// Screens in which each row comes three times. Much stays the same from screen to screen, as in a
// game: the upper half always comes from the first screen.
Pixels repetitive_screens(int height) {
  const auto noise = noisy_screens(height);
  Pixels pixels(noise.size());
  for (int screen = 0; screen < kScreens; ++screen) {
    for (int y = 0; y < height; ++y) {
      const int from = y < height / 2 ? 0 : screen;
      std::copy_n(&noise[(from * height + y / kRepeats) * kScreenWidth], kScreenWidth,
                  &pixels[(screen * height + y) * kScreenWidth]);
    }
  }
  return pixels;
}

// Observes each screen together with the next one, on the path of `simd`.
Pixels observe_pairs(const Pixels& screens, int height, const GrayLevels& levels, Simd simd) {
  const Observer observer(height, levels, simd);
  const std::size_t screen_bytes = static_cast<std::size_t>(height) * kScreenWidth;
  const std::size_t count = screens.size() / screen_bytes;
  constexpr std::size_t kBytes = std::size_t{kSide} * kSide;
  Pixels observations(count * kBytes);
  for (std::size_t i = 0; i < count; ++i) {
    observer(&screens[i * screen_bytes], &screens[(i + 1) % count * screen_bytes],
             &observations[i * kBytes]);
  }
  return observations;
}

std::uint64_t fnv1a(const Pixels& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const auto byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

// Tests every path that this CPU supports.
class ObserverTest : public testing::TestWithParam<Simd> {};

// The hashes are OpenCV's, from tests/golden/area_resize.py. Seen failing with fused multiply-adds,
// with truncation, and when repeated rows were looked for in only one of the two screens.
TEST_P(ObserverTest, EqualsOpenCv) {
  struct Hashes {
    std::uint64_t noisy, repetitive;
  };
  const std::map<int, Hashes> golden = {
      {84, {0xcab25ad726bd01a4, 0x3a9cb92408013a58}},
      {85, {0x67ad778f0c7f34e5, 0x54310f910e56be58}},
      {127, {0x740f8baf1437e0d0, 0x778f509dcf93c9fe}},
      {168, {0x7df922dd4f5fd218, 0xe8db570d073d6050}},
      {169, {0xbf2bac3cb1c41ff5, 0x0a5216eb1bc1a953}},
      {209, {0x51f5ee3941a84c00, 0x1d8650132fd54965}},
      {210, {0xc7840e96079fcc63, 0xb9e8c7d316f552a3}},
      {211, {0x573fa73483f0d218, 0xd0e1360c108e72c0}},
      {214, {0x52a4ec4a1b6a3864, 0x9eaeb117f7f8331b}},
      {249, {0x4670648fe1321a6e, 0x8ebd497c92db6ed3}},
      {250, {0x737ac474ebae45a0, 0x86313805d65c658b}},
      {251, {0x6e790945e31daf01, 0xf777140dc8692572}},
      {336, {0x0214057dd7030b03, 0x9753856cb451b531}},
  };
  for (const auto& [height, hashes] : golden) {
    const auto hash = [&, height = height](const Pixels& screens) {
      return fnv1a(observe_pairs(screens, height, mixed_levels(), GetParam()));
    };
    EXPECT_EQ(hash(noisy_screens(height)), hashes.noisy) << height << " rows";
    EXPECT_EQ(hash(repetitive_screens(height)), hashes.repetitive) << height << " rows";
  }
}

TEST_P(ObserverTest, EqualsThePortablePathAtEveryHeight) {
  for (int height = 84; height <= 336; ++height) {
    const auto screens = noise(std::size_t{2} * kScreenWidth * static_cast<std::size_t>(height));
    ASSERT_EQ(observe_pairs(screens, height, mixed_levels(), GetParam()),
              observe_pairs(screens, height, mixed_levels(), Simd::portable))
        << height << " rows";
  }
}

TEST_P(ObserverTest, EqualsThePortablePathOnGames) {
  silence_ale();
  for (const auto* game : {"Pong", "Breakout", "Qbert", "Seaquest", "Enduro", "BeamRider",
                           "AirRaid", "Carnival"}) {  // the last two have 250 and 214 rows
    const auto console = make_console(Roms(TANDEM_ROM_FOLDER).find(game), {});
    const auto actions = console->minimal_actions();
    const auto frames = noise(600);
    Pixels screens;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      console->act(actions[frames[i / 4] % actions.size()]);
      if (console->over()) console->new_game();
      if (i % 4 < 2) continue;
      screens.insert(screens.end(), console->screen(), console->screen() + console->screen_bytes());
    }
    ASSERT_EQ(observe_pairs(screens, console->height(), console->gray_levels(), GetParam()),
              observe_pairs(screens, console->height(), console->gray_levels(), Simd::portable))
        << game;
  }
}

// Neither a vector load nor a vector store may reach beyond the pixels; the sanitizer would see it.
TEST_P(ObserverTest, StaysWithinItsBuffers) {
  constexpr int kHeight = 210;
  const Pixels screen(std::size_t{kHeight} * kScreenWidth, 2);
  const Observer observer(kHeight, mixed_levels(), GetParam());
  Pixels observation(std::size_t{kSide} * kSide + 64, 255);
  observer(screen.data(), screen.data(), observation.data());
  const auto end = observation.begin() + kSide * kSide;
  EXPECT_EQ(std::count(observation.begin(), end, 2 * 37), kSide * kSide);
  EXPECT_EQ(std::count(end, observation.end(), 255), 64);
}

INSTANTIATE_TEST_SUITE_P(Paths, ObserverTest, testing::ValuesIn(available_simd()),
                         [](const auto& simd) { return simd_name(simd.param); });

TEST(Observer, RefusesOtherHeights) {
  EXPECT_THROW(Observer(83, mixed_levels(), Simd::portable), std::invalid_argument);
  EXPECT_THROW(Observer(337, mixed_levels(), Simd::portable), std::invalid_argument);
}

TEST(KeepBrighter, TakesTheIndexOfTheBrighterPixel) {
  GrayLevels levels{};
  levels[1] = 200;
  levels[2] = 100;
  Pixels screen = {0, 1, 2, 2};
  keep_brighter(screen, Pixels{2, 2, 1, 0}, levels);
  EXPECT_EQ(screen, (Pixels{2, 1, 1, 2}));
}

}  // namespace
}  // namespace tandem::atari
