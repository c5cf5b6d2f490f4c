#include "tandem/trainer/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>

#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/config_values.h"
#include "tests/support/error_of.h"
#include "tests/support/plugin_path.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const Setting kCartpole{"env.id", "cartpole", "--env"};

// Whether this build has the environment of these settings.
bool has_env(const std::vector<Setting>& settings) {
  for (const auto& setting : settings) {
    if (setting.key != "env.id") continue;
    const auto id = value_text(setting.value);
    const auto colon = id.find(':');
    return colon == std::string::npos || has_plugin(id.substr(0, colon));
  }
  return has_plugin("atari");
}

std::string load_error(const std::string& system, const std::vector<Setting>& settings) {
  return error_of([&] { std::ignore = load_config(system, settings); });
}

// Every key and its value as text.
std::vector<std::pair<std::string, std::string>> values(Config& config) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& field : config.fields()) all.emplace_back(field.key, field_text(field));
  return all;
}

Config reloaded(const Config& config) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "reloaded.toml";
  std::ofstream(file) << config.toml();
  return load_config("", read_toml(file));
}

TEST(Config, LaterSettingsWin) {
  const auto config =
      load_config("paac", {{"paac.t_max", std::int64_t{3}, "a.toml:1", Setting::Origin::file},
                           {"run.steps", std::int64_t{10}, "a.toml:2", Setting::Origin::file},
                           kCartpole,
                           {"t_max", "4", "--set t_max=4"},
                           {"paac.t_max", "6", "--set paac.t_max=6"},
                           {"run.steps", "20M", "--steps"}});
  EXPECT_EQ(value_of(config, "paac.t_max"), 6);
  EXPECT_EQ(config.run.steps, 20'000'000);
  EXPECT_EQ(config.env.id, "cartpole");
}

TEST(Config, EveryKeyIsThereOnceAndSaysWhatItMeans) {
  auto config = load_config("paac", {kCartpole});
  std::vector<std::string> keys;
  for (const auto& field : config.fields()) {
    EXPECT_FALSE(field.meaning.empty()) << field.key;
    keys.push_back(field.key);
  }
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST(Config, DefaultsAreWithinTheirRanges) {
  auto config = load_config("paac", {kCartpole});
  for (const auto& field : config.fields()) EXPECT_NO_THROW(set_field(field, field_value(field)));
}

TEST(Config, UnknownNamesOfferTheNearest) {
  EXPECT_THAT(load_error("pac", {kCartpole}),
              AllOf(HasSubstr("there is no system pac"), HasSubstr("did you mean paac?")));
  EXPECT_THAT(load_error("paac", {{"env.id", "atarri:Pong", "--env"}}), HasSubstr("atarri"));
  EXPECT_THAT(load_error("paac", {kCartpole, {"paac.tmax", "5", "--set paac.tmax=5"}}),
              HasSubstr("did you mean paac.t_max?"));
}

TEST(Config, AConfigOfAnotherSystemIsRefused) {
  const Setting other{"system", "paac", "x.toml:1", Setting::Origin::file};
  EXPECT_EQ(load_error("paac", {other, kCartpole}), "");
  EXPECT_THAT(load_error("a3c", {other, kCartpole}), HasSubstr("a3c"));
}

TEST(Config, MethodIsAnotherWordForAlgo) {
  for (const char* key : {"algo", "method"}) {
    const Setting sarsa{key, "one_step_sarsa", "--set"};
    EXPECT_EQ(load_config("a3c", {kCartpole, sarsa}).algo, "one_step_sarsa");
    EXPECT_EQ(load_config("paac", {kCartpole, sarsa}).algo, "one_step_sarsa");
    EXPECT_EQ(load_config("a3c", {kCartpole, sarsa, {key, "a3c", "--set"}}).algo, "a2c");
    EXPECT_THAT(load_error("a3c", {kCartpole, {key, "n_step", "--set method=n_step"}}),
                AllOf(HasSubstr("--set method=n_step"), HasSubstr("n_step_q")));
  }
  EXPECT_EQ(load_config("a3c", {kCartpole}).algo, "a2c");
}

TEST(Config, OnlyTheChosenAlgorithmsNumbersTakePart) {
  const Setting n_step{"algo", "n_step_q", "--set"};
  const Setting entropy{"a2c.entropy", 0.5, "x.toml:3", Setting::Origin::file};
  auto config = load_config("a3c", {kCartpole, entropy, n_step, {"gamma", "0.5", "--set"}});
  EXPECT_EQ(value_of<double>(config, "q.gamma"), 0.5);
  EXPECT_THAT(config.toml(), testing::Not(HasSubstr("[a2c]")));
  EXPECT_THAT(config.toml(), HasSubstr("[q]"));
  const Setting wrong{"a2c.entropy", "0.5", "--set a2c.entropy=0.5"};
  EXPECT_THAT(load_error("a3c", {kCartpole, n_step, wrong}),
              HasSubstr("not a key of the algorithm"));
  EXPECT_THAT(load_error("a3c", {kCartpole, n_step, {"a2c.entropi", 0.5, "x.toml:3"}}),
              HasSubstr("there is no key a2c.entropi"));
}

// Ape-X, appendix D.
TEST(Config, DpgHasTheNumbersOfItsAppendix) {
  const Setting pendulum{"env.id", "pendulum", "--env"};
  const auto config = load_config("apex", {pendulum, {"algo", "dpg", "--set"}});
  EXPECT_EQ(config.net.arch, "dpg");
  EXPECT_EQ(config.net.init, "ddpg");
  EXPECT_FALSE(config.net.dueling);
  EXPECT_EQ(config.optimizer.kind, "adam");
  EXPECT_EQ(config.optimizer.lr, 1e-4);
  EXPECT_EQ(config.optimizer.clip_norm, 40);  // as for DQN
  EXPECT_EQ(value_of(config, "apex.batch"), 256);
  EXPECT_EQ(value_of(config, "apex.n"), 3);
  EXPECT_EQ(value_of(config, "replay.capacity"), 1'000'000);
  EXPECT_EQ(value_of<std::string>(config, "replay.remover"), "inverse_priority");
  EXPECT_EQ(value_of<double>(config, "replay.alpha_evict"), -0.4);
  EXPECT_EQ(value_of<double>(config, "replay.alpha"), 0.6);
  EXPECT_EQ(value_of<double>(config, "dpg.sigma"), 0.3);
  EXPECT_EQ(value_of(config, "dpg.target_updates"), 100);
  EXPECT_EQ(value_of<double>(config, "dpg.clip"), 1);
  EXPECT_THAT(config.toml(), AllOf(HasSubstr("[dpg]"), testing::Not(HasSubstr("[dqn]"))));
  auto copy = config;
  auto again = reloaded(config);
  EXPECT_EQ(values(again), values(copy));
}

TEST(Config, ADrawnLearningRateIsPartOfTheConfig) {
  const Setting draw{"optimizer.lr_choice", "log_uniform", "--set"};
  const auto config = load_config("a3c", {kCartpole, draw, {"run.seed", "5", "--seed"}});
  const auto other = load_config("a3c", {kCartpole, draw, {"run.seed", "6", "--seed"}});
  EXPECT_NE(config.optimizer.lr, other.optimizer.lr);
  EXPECT_EQ(reloaded(config).optimizer.lr, config.optimizer.lr);
}

TEST(Config, OptionsOfAnotherEnvironmentAreExplained) {
  EXPECT_THAT(
      load_error("paac", {kCartpole,
                          {"env.frame_skip", std::int64_t{4}, "a.toml:7", Setting::Origin::file}}),
      AllOf(HasSubstr("a.toml:7: there is no key env.frame_skip"),
            HasSubstr("env.id is cartpole")));
}

// So that the presets of the papers, which are for Atari, train on other environments. Seen failing
// when misspelt options went, too.
TEST(Config, AFilesOptionsOfAnotherFamilyAreLeftOut) {
  const auto file = Setting::Origin::file;
  const Setting pong{"env.id", "atari:Pong", "a.toml:6", file};
  const Setting skip{"env.frame_skip", std::int64_t{4}, "a.toml:7", file};
  const Setting stack{"env.stack", std::int64_t{4}, "a.toml:8", file};
  const auto config = load_config("paac", {pong, skip, stack, kCartpole});
  EXPECT_THAT(config.left_out, testing::ElementsAre("env.frame_skip"));
  EXPECT_THAT(config.toml(), HasSubstr("stack = 4"));

  const Setting misspelt{"env.frame_skp", std::int64_t{4}, "a.toml:7", file};
  if (has_plugin("atari")) {
    EXPECT_THAT(load_error("paac", {pong, misspelt, kCartpole}), HasSubstr("env.frame_skp"));
  }
  const Setting catch_id{"env.id", "catch", "a.toml:6", file};
  EXPECT_THAT(load_error("paac", {catch_id, skip, kCartpole}), HasSubstr("env.frame_skip"));
  const Setting said{"env.frame_skip", "4", "--set env.frame_skip=4"};
  EXPECT_THAT(load_error("paac", {pong, kCartpole, said}), HasSubstr("env.frame_skip"));
}

TEST(Config, EnvironmentMayBeChosenByItsShortKey) {
  const auto config = load_config("paac", {{"id", "cartpole", "--set id=cartpole"}});
  EXPECT_EQ(config.env.id, "cartpole");
}

TEST(Config, TomlLoadsBackToTheSameValues) {
  auto config = load_config("paac", {kCartpole,
                                     {"lr", "0.1", "--set"},
                                     {"gamma", "0.3333333333333333", "--set"},
                                     {"run.seed", "9223372036854775807", "--seed"}});
  auto again = reloaded(config);
  EXPECT_EQ(values(again), values(config));
}

TEST(Config, EnvironmentAloneTakesNoOtherKeys) {
  EXPECT_EQ(load_env_config({kCartpole}, *published()).id, "cartpole");
  EXPECT_THROW(std::ignore = load_env_config({kCartpole, {"gamma", "0.9", "--set"}}, *published()),
               Error);
}

TEST(Config, ThreadBudgetIsAtLeastOne) {
  RunConfig run;
  EXPECT_GE(run.thread_budget(), 1);
  run.threads = 7;
  EXPECT_EQ(run.thread_budget(), 7);
}

/// The files of presets, configs/FOLDER/NAME.toml. The plans of `tandem reproduce` lie one folder
/// deeper.
std::vector<fs::path> preset_files() {
  std::vector<fs::path> files;
  for (const auto& folder : fs::directory_iterator(TANDEM_SOURCE_DIR "/configs")) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Presets, EveryOneLoadsAndRoundTrips) {
  int count = 0;
  for (const auto& path : preset_files()) {
    const auto settings = read_toml(path);
    if (!has_env(settings)) continue;
    auto config = load_config("", settings);
    auto again = reloaded(config);
    EXPECT_EQ(values(again), values(config)) << path;
    ++count;
  }
  EXPECT_GE(count, 2);
}

// Seen failing when the settings of an algorithm's preset were left out.
TEST(Presets, AreTheDefaults) {
  auto own = *published();
  for (auto& preset : own.presets) {
    if (preset.name == "a3c/atari") preset.toml = "system = \"a3c\"\n[a3c]\nt_max = 77\n";
    if (preset.name == "algo/ppo") preset.toml = "[optimizer]\nlr = 0.25\n";
  }
  const auto catalogue = std::make_shared<const Catalogue>(own);
  EXPECT_EQ(value_of(load_config("a3c", {kCartpole}, catalogue), "a3c.t_max"), 77);
  const Setting ppo{"algo", "ppo", "--set"};
  EXPECT_EQ(load_config("paac", {kCartpole, ppo}, catalogue).optimizer.lr, 0.25);
  EXPECT_NE(load_config("paac", {kCartpole}, catalogue).optimizer.lr, 0.25);
}

// Seen failing with a preset changed after the build.
TEST(Presets, ArePartOfTheLibrary) {
  const auto presets = published_presets();
  const auto files = preset_files();
  for (const auto& path : files) {
    auto name = fs::relative(path, TANDEM_SOURCE_DIR "/configs");
    const auto found =
        std::ranges::find(presets, name.replace_extension().generic_string(), &Preset::name);
    ASSERT_NE(found, presets.end()) << path;
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(found->toml, text) << path;
  }
  EXPECT_EQ(files.size(), presets.size());
}

TEST(Config, AnAgentNeedsTheConfigThatItsCheckpointWasTrainedWith) {
  const auto config = load_config(
      "paac", {kCartpole, {"paac.t_max", "5", "--set"}, {"run.steps", "100", "--steps"}});
  const auto with = [&](const std::string& from, const std::string& to) {
    auto text = config.toml();
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(std::min(at, text.size()), from.size(), to);
    return error_of([&] {
      require_as_trained(config, parse_toml(text, "the checkpoint's config"), "run/config.toml");
    });
  };
  const std::string t_max = "\nt_max = 5\n";
  EXPECT_EQ(with(t_max, t_max), "");
  EXPECT_THAT(
      with(t_max, "\nt_max = 7\n"),
      HasSubstr("run/config.toml has paac.t_max = 5, but the checkpoint was trained with 7"));
  EXPECT_EQ(with("\nsteps = 100\n", "\nsteps = 200\n"), "") << "a resumed run may change it";
  EXPECT_EQ(with(t_max, "\n"), "") << "an older version lacked the key";
  EXPECT_EQ(with(t_max, "\nt_max = 5\nt_most = 3\n"), "") << "an older version had another key";
  EXPECT_EQ(with(t_max, "\nt_max = 0\n"), "") << "an older version took another value";
}

// Seen refused: a run whose environment is slow or that moved to another machine could not go on.
TEST(Config, AResumedRunMayHaveOtherSettingsOfTheMachineAlone) {
  const auto config = [](const std::string& key, const std::string& value) {
    const Setting id{"env.id", "gym:CartPole-v1", "--env"};
    return load_config("paac", {id, {key, value, "--set"}});
  };
  const auto before = config("env.timeout_seconds", "60");
  EXPECT_NO_THROW(require_same_experiment(config("env.timeout_seconds", "300"), before));
  EXPECT_NO_THROW(require_same_experiment(config("env.workers", "3"), before));
  EXPECT_THROW(require_same_experiment(config("env.stack", "3"), before), Error);
  EXPECT_TRUE(is_of_machine("rom_dir"));
}

}  // namespace
}  // namespace tandem
