// Default presets: one for each system, algorithm and kind of environment.
#include "tandem/trainer/default_preset.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/env/builtin.h"
#include "tandem/systems/fit.h"
#include "tandem/trainer/config.h"
#include "tests/support/config_values.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::array<std::string_view, 6> kKinds = {"numbers",  "images",     "small_images",
                                                    "discrete", "continuous", "partially_observed"};

EnvSpec numbers() { return {.frame_shape = {4}, .num_actions = 2}; }
EnvSpec images(std::int64_t size = 84) {
  return {.dtype = DType::u8, .frame_shape = {1, size, size}, .num_actions = 4};
}
EnvSpec continuous(EnvSpec spec) {
  spec.num_actions = 0;
  spec.action_low = {-1};
  spec.action_high = {1};
  return spec;
}

Task task(const std::string& system, const std::string& algorithm, const std::string& env,
          const EnvSpec& spec) {
  return {system, algorithm, env, [spec] { return spec; }};
}

/// Visits each system with each algorithm that it can train with.
void for_each_fit(const std::function<void(const std::string&, const AlgorithmInfo&)>& visit) {
  const auto catalogue = published();
  for (const auto& system : catalogue->systems) {
    for (const auto& algorithm : catalogue->algorithms) {
      const auto& info = algorithm->info();
      if (misfit(system->requirements(), info.traits).empty()) visit(system->info().name, info);
    }
  }
}

bool takes(const AlgorithmInfo& algorithm, const EnvSpec& spec) {
  if (spec.dtype == DType::u8 && algorithm.traits.deterministic_policy) return false;
  return spec.discrete() ? algorithm.traits.discrete : algorithm.traits.continuous;
}

// Seen failing when small images with continuous actions had no preset.
TEST(DefaultPreset, ThereIsOneForEachKindOfEnvironment) {
  const auto defaults = read_defaults(published()->presets);
  for (const auto& discrete : {numbers(), images(), images(10)}) {
    for (const auto& spec : {discrete, continuous(discrete)}) {
      for_each_fit([&](const std::string& system, const AlgorithmInfo& algorithm) {
        if (!takes(algorithm, spec)) return;
        EXPECT_THAT(most_special(defaults, task(system, algorithm.name, "new:thing", spec)),
                    SizeIs(1))
            << system << " " << algorithm.name << " " << fmt::format("{}", spec.frame_shape.size())
            << (spec.discrete() ? " discrete" : " continuous");
      });
    }
  }
}

// No two presets may claim the same situation.
TEST(DefaultPreset, NoTwoCompete) {
  const auto defaults = read_defaults(published()->presets);
  std::set<std::string> named = {"atari:Pong", "mujoco:walker-walk"};
  for (const auto& name : make_builtin_family()->names()) named.insert(name);
  for (const auto& env : named) {
    for (const auto& discrete : {numbers(), images(), images(10)}) {
      for (auto spec : {discrete, continuous(discrete)}) {
        for (const bool partially : {false, true}) {
          spec.partially_observed = partially;
          for_each_fit([&](const std::string& system, const AlgorithmInfo& algorithm) {
            const auto found = most_special(defaults, task(system, algorithm.name, env, spec));
            EXPECT_LE(found.size(), 1) << env << ": " << testing::PrintToString(found);
          });
        }
      }
    }
  }
}

// A situation with a word that is neither a name nor a kind would match no environment.
TEST(DefaultPreset, EveryWordIsKnown) {
  std::set<std::string> known(kKinds.begin(), kKinds.end());
  known.insert({"atari", "doom", "doom:my_way_home", "football", "mujoco", "mujoco:reacher-easy",
                "torcs", "torcs:fast_car", "torcs:fast_car_bots"});
  for (const auto& name : make_builtin_family()->names()) known.insert(name);
  const auto catalogue = published();
  for (const auto& one : read_defaults(catalogue->presets)) {
    EXPECT_TRUE(one.preset.starts_with(one.system + "/")) << one.preset;
    for (const auto& words : one.situations) {
      for (const auto& word : words)
        EXPECT_TRUE(known.contains(word)) << one.preset << ": " << word;
    }
    for (const auto& name : one.algorithms) {
      const auto is = [&](const auto& algorithm) { return algorithm->info().name == name; };
      EXPECT_TRUE(std::ranges::any_of(catalogue->algorithms, is)) << one.preset << ": " << name;
    }
  }
}

// A family refuses another family's options. Every family has env.normalise.
TEST(DefaultPreset, OnlyThoseOfNamedEnvironmentsHaveOptionsOfTheEnvironment) {
  const auto catalogue = published();
  const auto is_kind = [](const std::vector<std::string>& words) {
    return std::ranges::find(kKinds, words.front()) != kKinds.end();
  };
  for (const auto& one : read_defaults(catalogue->presets)) {
    if (std::ranges::none_of(one.situations, is_kind)) continue;
    for (const auto& setting : preset_settings(catalogue->presets, one.preset)) {
      EXPECT_FALSE(setting.key.starts_with("env.") && setting.key != "env.normalise")
          << one.preset << ": " << setting.key;
    }
  }
}

DefaultFor made(const std::string& name, std::vector<std::vector<std::string>> situations) {
  return {
      .preset = name, .system = "paac", .algorithms = {"a2c"}, .situations = std::move(situations)};
}

TEST(DefaultPreset, TheMostSpecialWins) {
  const std::vector<DefaultFor> all = {made("kind", {{"images", "discrete"}}),
                                       made("less", {{"images"}}), made("family", {{"atari"}}),
                                       made("family_of_numbers", {{"atari", "numbers"}}),
                                       made("id", {{"numbers"}, {"atari:Pong"}})};
  const auto chosen = [&](const std::string& env, const EnvSpec& spec) {
    return most_special(all, task("paac", "a2c", env, spec));
  };
  EXPECT_THAT(chosen("atari:Pong", images()), ElementsAre("id"));
  EXPECT_THAT(chosen("atari:Qbert", images()), ElementsAre("family"));
  EXPECT_THAT(chosen("atari:Qbert", numbers()), ElementsAre("family_of_numbers"));
  EXPECT_THAT(chosen("maze", images()), ElementsAre("kind"));
  EXPECT_THAT(chosen("maze", continuous(images())), ElementsAre("less"));
  EXPECT_THAT(chosen("maze", numbers()), ElementsAre("id"));
  EXPECT_THAT(chosen("maze", images(10)), ElementsAre());
  EXPECT_THAT(most_special(all, task("paac", "ppo", "maze", images())), ElementsAre());
  EXPECT_THAT(most_special(all, task("hts", "a2c", "maze", images())), ElementsAre());
}

// Football has presets of PPO alone, and images have presets of all algorithms. Seen failing when
// the first algorithm with any default was chosen.
TEST(DefaultPreset, OneThatNamesTheEnvironmentDecidesOnTheAlgorithm) {
  const auto football = default_preset(task("hts", "", "football:5_vs_5", images()), *published());
  ASSERT_TRUE(football.has_value());
  EXPECT_EQ(football->name, "hts/football");
  EXPECT_EQ(football->algorithm, "ppo");
  const auto with_a2c =
      default_preset(task("hts", "a2c", "football:5_vs_5", images()), *published());
  EXPECT_EQ(with_a2c->name, "hts/images");
}

// Making the spec may need a ROM; `tandem keys` works without one.
TEST(DefaultPreset, NamesDecideWithoutTheEnvironment) {
  const Task pong{"paac", "ppo", "atari:Pong",
                  []() -> EnvSpec { throw std::logic_error("the environment was made"); }};
  EXPECT_EQ(default_preset(pong, *published())->name, "paac/ppo");
}

TEST(DefaultPreset, WithoutAnAlgorithmItIsTheFirstThatHasOne) {
  const auto catalogue = published();
  const auto chosen = [&](const std::string& system, const std::string& env, const EnvSpec& spec) {
    const auto found = default_preset(task(system, "", env, spec), *catalogue);
    return found->name + " " + found->algorithm;
  };
  EXPECT_EQ(chosen("paac", "atari:Pong", images()), "paac/atari a2c");
  EXPECT_EQ(chosen("apex", "cartpole", numbers()), "apex/cartpole dqn");
  EXPECT_EQ(chosen("apex", "pendulum", continuous(numbers())), "apex/pendulum dpg");
}

TEST(DefaultPreset, OnlyAgentsWithAMemoryLearnWhatIsNotInView) {
  auto hidden = numbers();
  hidden.partially_observed = true;
  const auto catalogue = published();
  EXPECT_EQ(default_preset(task("a3c", "", "memory", hidden), *catalogue)->name, "a3c/memory");
  EXPECT_EQ(default_preset(task("paac", "", "new:maze", hidden), *catalogue)->name,
            "paac/recurrent");
  EXPECT_THAT(
      error_of([&] { (void)default_preset(task("apex", "", "memory", hidden), *catalogue); }),
      AllOf(HasSubstr("apex has no preset"), HasSubstr("impala (a2c)"), HasSubstr("--config")));
}

TEST(DefaultPreset, ATableThatIsIncompleteIsRefused) {
  const std::vector<Preset> presets = {
      {"own", "system = \"paac\"\n[default_for]\nenv = \"atari\""}};
  EXPECT_THAT(error_of([&] { (void)read_defaults(presets); }),
              AllOf(HasSubstr("own"), HasSubstr("default_for.algo")));
}

// The config is the same as if the user had named the preset.
TEST(ChooseConfig, IsThatOfThePresetNamed) {
  for (const auto& [system, algo, env, preset] :
       {std::array{"paac", "a2c", "cartpole", "paac/cartpole"},
        std::array{"apex", "dpg", "pendulum", "apex/pendulum"},
        std::array{"a3c", "one_step_q", "catch", "a3c/catch"},
        std::array{"hts", "ppo", "catch", "hts/ppo_catch"}}) {
    auto named = preset_settings(published()->presets, preset);
    const Setting chosen{"algo", algo, "--set"};
    const Setting place{"env.id", env, "--env"};
    named.insert(named.end(), {chosen, place});
    const auto config = choose_config(system, {chosen, place});
    EXPECT_EQ(config.preset, preset);
    EXPECT_EQ(config.toml(), load_config(system, named).toml());
  }
  EXPECT_EQ(choose_config("apex", {{"env.id", "pendulum", "--env"}}).algo, "dpg");
}

TEST(ChooseConfig, TheUsersSettingsWin) {
  const auto config = make_config("paac", {"env.id=cartpole", "net.hidden=7", "gamma=0.5"});
  EXPECT_EQ(config.preset, "paac/cartpole");
  EXPECT_EQ(config.net.hidden, 7);
  EXPECT_EQ(value_of<double>(config, "a2c.gamma"), 0.5);
}

// Without presets, the defaults are those of the structs.
TEST(ChooseConfig, WithoutADefaultItIsLoadConfigs) {
  auto own = *published();
  own.presets.clear();
  const auto catalogue = std::make_shared<const Catalogue>(own);
  const auto config = make_config("paac", {"env.id=cartpole"}, catalogue);
  EXPECT_EQ(config.preset, "");
  EXPECT_EQ(config.toml(), load_config("paac", {{"env.id", "cartpole", "x"}}, catalogue).toml());
}

}  // namespace
}  // namespace tandem
