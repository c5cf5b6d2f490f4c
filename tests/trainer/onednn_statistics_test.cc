// Runs whose agents learn by running statistics of observations and rewards, as a user has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/io/settings.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/run/run_directory.h"
#include "tandem/trainer/agent.h"
#include "tandem/trainer/presets.h"
#include "tandem/trainer/training.h"
#include "tandem/trainer/verification.h"
#include "tests/support/env_around.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kBoth = {"env.normalise=running", "env.normalise_rewards=true"};

/// Pendulum in odd units: the numbers that it shows are some thousand or some thousandth, and
/// rewards are a thousand times as large.
class OddPendulum final : public EnvAround {
 public:
  static constexpr float kRewardUnit = 1000;

  OddPendulum() : EnvAround(make_builtin_family()->make("pendulum", 0)) {}
  void reset(Stream& stream, std::span<std::byte> frame) override {
    EnvAround::reset(stream, frame);
    convert(frame);
  }
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    auto result = EnvAround::step(actions, stream, frame);
    convert(frame);
    result.reward *= kRewardUnit;
    return result;
  }

 private:
  static void convert(std::span<std::byte> frame) {
    std::array<float, 3> numbers{};
    std::memcpy(numbers.data(), frame.data(), sizeof(numbers));
    numbers = {3000 + 500 * numbers[0], 0.002F * numbers[1], 0.001F * numbers[2] - 0.1F};
    std::memcpy(frame.data(), numbers.data(), sizeof(numbers));
  }
};

class OddFamily final : public EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {"pendulum"}; }
  [[nodiscard]] FieldList fields() override { return {}; }
  [[nodiscard]] std::unique_ptr<Env> make(const std::string&, std::uint64_t) override {
    return std::make_unique<OddPendulum>();
  }
};

class StatisticsTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path run_folder(const std::string& name = "run") const {
    return folder_.path() / name;
  }

  /// Trains in a new folder; returns its result.
  [[nodiscard]] nlohmann::json train(const Config& config, const std::string& name = "run") const {
    Training(config, run_folder(name), false).run({.progress = nullptr});
    return nlohmann::json::parse(std::ifstream(run_folder(name) / "result.json"));
  }

 private:
  TemporaryFolder folder_;
};

Config config(const std::string& system, const std::string& env, const std::string& steps,
              std::vector<std::string> words = kBoth) {
  for (const auto& word : {"env.id=" + env, "run.steps=" + steps, std::string("run.threads=2")}) {
    words.push_back(word);
  }
  return make_config(system, words);
}

/// Replay sizes for a short run.
std::vector<std::string> short_replay() {
  auto words = kBoth;
  words.insert(words.end(),
               {"replay.min_fill=500", "replay.samples_per_insert=4", "apex.actors=1"});
  return words;
}

TEST_F(StatisticsTest, EverySystemTrainsWithThemAndItsAgentPlays) {
  for (const std::string system : {"paac", "a3c", "ga3c", "hts", "impala", "apex"}) {
    for (const std::string env : {"cartpole", "pendulum"}) {
      const auto name = system + "_" + env;
      SCOPED_TRACE(name);
      const auto result =
          train(config(system, env, "2000", system == "apex" ? short_replay() : kBoth), name);
      EXPECT_GE(result.at("steps"), 2000);
      auto agent = Agent::load(run_folder(name));
      const auto played = agent.evaluate({.episodes = 2, .seed = 5});
      EXPECT_EQ(played.games.size(), 2);
      EXPECT_TRUE(std::isfinite(played.mean));
      // Reported returns are raw: CartPole's are numbers of steps.
      if (env == "cartpole") {
        EXPECT_GE(result.at("mean_return").get<double>(), 8);
      }
    }
  }
}

TEST_F(StatisticsTest, ARunIsVerifiedAndResumed) {
  for (const std::string algo : {"a2c", "ppo", "n_step_q"}) {
    auto words = kBoth;
    words.push_back("algo=" + algo);
    words.insert(words.end(), {"paac.envs=8", "paac.envs_per_group=4"});
    auto asked = config("paac", "cartpole", "4096", words);
    (void)train(asked, algo);
    auto resolved = load_config("", read_toml(RunPaths{run_folder(algo)}.config()));
    EXPECT_EQ(resolved.env.normalise, "running");
    EXPECT_TRUE(resolved.env.observation_mean.empty());
    EXPECT_EQ(verify(resolved, run_folder(algo), 4096, [] { return false; }).parted_at,
              std::nullopt);
    resolved.run.steps = 8192;
    Training(resolved, run_folder(algo), true).run({.progress = nullptr});
    EXPECT_GE(Agent::load(run_folder(algo)).step(), 8192);
  }
}

TEST_F(StatisticsTest, BelongToAnAgentOverNumbers) {
  EXPECT_THAT(error_of([&] { (void)train(config("paac", "catch", "400")); }),
              HasSubstr("env.normalise: this environment shows pictures"));
  for (const auto& word : kBoth) {
    const std::vector<Setting> settings = {{"env.id", "cartpole", "--env"}, parse_assignment(word)};
    EXPECT_THAT(error_of([&] { (void)load_env_config(settings, *published()); }),
                HasSubstr("belong to the training of an agent"));
  }
  (void)train(config("paac", "cartpole", "640"));
  for (const std::string key : {"env.normalise", "env.normalise_rewards"}) {
    EXPECT_THROW((void)Agent::load(run_folder(), {.env = {{key, "false", "test"}}}), Error) << key;
  }
}

// Random play scores -1200 in Pendulum's own units; a good policy scores -200.
TEST_F(StatisticsTest, PpoLearnsInOddUnitsByThemAlone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "this training takes minutes with sanitizers";
#endif
  auto own = *published();
  own.families.push_back({"odd", [] { return std::make_unique<OddFamily>(); }});
  const auto catalogue = std::make_shared<const Catalogue>(std::move(own));
  const auto score = [&](const std::string& name, const std::vector<std::string>& words) {
    auto settings = preset_settings(published_presets(), "paac/ppo_continuous");
    settings.push_back({"env.id", "odd:pendulum", "--env"});
    for (const auto& word : words) settings.push_back(parse_assignment(word));
    for (const auto* word : {"run.steps=250k", "run.threads=2", "algo=ppo", "ppo.reward_scale=1"}) {
      settings.push_back(parse_assignment(word));
    }
    const auto result = train(load_config("paac", settings, catalogue), name);
    return result.at("mean_return").get<double>() / OddPendulum::kRewardUnit;
  };
  EXPECT_GE(score("with", kBoth), -400);
  EXPECT_LE(score("without", {"env.normalise=false"}), -800);
}

}  // namespace
}  // namespace tandem
