// Evaluations while each system trains, over real networks and environments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/run/evaluation.h"
#include "tandem/run/run_directory.h"
#include "tandem/trainer/agent.h"
#include "tandem/trainer/training.h"
#include "tandem/trainer/training_evaluation.h"
#include "tandem/trainer/whole_games.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<json> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

class TrainingEvaluationTest : public testing::Test {
 protected:
  /// Trains on catch, with more settings; returns result.json.
  json train(const std::string& system, const std::string& name, std::vector<std::string> words) {
    words.insert(words.begin(), {"env.id=catch", "run.steps=6000", "run.threads=2"});
    const RunPaths paths = run(name);
    Training training(make_config(system, words), paths.folder, false);
    training.run({.progress = nullptr});
    return json::parse(std::ifstream(paths.result()));
  }

  [[nodiscard]] RunPaths run(const std::string& name) const { return {folder_.path() / name}; }

  TemporaryFolder folder_;
};

class EachSystem : public TrainingEvaluationTest,
                   public testing::WithParamInterface<std::string> {};

TEST_P(EachSystem, IsEvaluatedWhileItTrains) {
  const auto result =
      train(GetParam(), "run", {"run.evaluate_steps=1000", "run.evaluate_episodes=4"});
  const auto lines = lines_of(run("run").evaluations());
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back()["step"], result["steps"]) << "the last parameters are evaluated";
  double best = -2;
  for (const auto& line : lines) {
    EXPECT_EQ(line["episodes"], 4);
    EXPECT_EQ(line["protocol"], "sampled");
    EXPECT_GE(line["min"], -1.0);
    EXPECT_LE(line["max"], 1.0);
    best = std::max(best, line["mean"].get<double>());
  }
  EXPECT_EQ(result["best"]["mean"], best);
  const auto agent = Agent::load(run("run").folder, {.best = true});
  EXPECT_EQ(agent.step(), result["best"]["step"]);
}

INSTANTIATE_TEST_SUITE_P(Systems, EachSystem,
                         testing::Values("paac", "a3c", "ga3c", "hts", "impala", "apex"),
                         [](const auto& info) { return info.param; });

TEST_F(TrainingEvaluationTest, ChangesNoBitOfARunThatRepeats) {
  for (const std::string system : {"paac", "hts"}) {
    const auto without = train(system, system + "-without", {});
    const auto with = train(system, system + "-with", {"run.evaluate_steps=500"});
    EXPECT_EQ(with["parameters_sha256"], without["parameters_sha256"]) << system;
    const auto fingerprints = [&](const std::string& name) {
      std::ifstream file(run(name).folder / "updates.bin", std::ios::binary);
      return std::string((std::istreambuf_iterator<char>(file)), {});
    };
    EXPECT_EQ(fingerprints(system + "-with"), fingerprints(system + "-without")) << system;
    EXPECT_FALSE(lines_of(run(system + "-with").evaluations()).empty());
  }
}

/// A checkpoint in which every parameter is 0.
Checkpoint zeros(const Config& config) {
  const auto spec = config.env.spec();
  const auto architecture =
      make_architecture(config.net, spec, make_algorithm(config, spec).value_head);
  Checkpoint checkpoint;
  for (const auto& info : architecture.parameters()) {
    const std::vector<float> values(static_cast<std::size_t>(info.count), 0.0F);
    checkpoint.add_tensor(info.name, info.shape, values);
  }
  return checkpoint;
}

// All actions are as likely as each other, so greedy play takes the first one, left, and waits in
// the first of five columns. The ball falls into it in a fifth of all games: the mean is
// 1/5 - 4/5 = -0.6, and the standard deviation sqrt(1 - 0.36) = 0.8.
TEST_F(TrainingEvaluationTest, GreedyGamesOfAHandComputedPolicy) {
  const auto config =
      make_config("paac", {"env.id=catch", "run.evaluate_steps=1", "run.evaluate_episodes=1000",
                           "run.evaluate_protocol=greedy", "net.pixel_mean=0"});
  const auto options = training_evaluation(config);
  ASSERT_TRUE(options);
  const auto play = [&](int threads) { return options->play(zeros(config), threads, [](int) {}); };
  const auto played = play(1);
  EXPECT_NEAR(played.mean, -0.6, 4 * 0.8 / std::sqrt(1000.0));
  EXPECT_NEAR(played.deviation, 0.8, 0.05);
  EXPECT_EQ(played.games.size(), 1000U);
  EXPECT_EQ(play(2).mean, played.mean) << "the same games, whatever the threads";
}

TEST_F(TrainingEvaluationTest, SaysWhatAnEnvironmentHasNot) {
  const auto config =
      make_config("paac", {"env.id=catch", "run.evaluate_steps=1", "run.evaluate_start=noop"});
  EXPECT_THAT(error_of([&] { (void)training_evaluation(config); }),
              HasSubstr("run.evaluate_start = noop: catch has no no-op starts"));
  EXPECT_FALSE(training_evaluation(make_config("paac", {"env.id=catch"})));
}

// An hour of the labyrinth in single frames, and one of TORCS in single turns of 20 ms.
TEST(MostGameSteps, AllowGamesAsLongAsTheirSettingsMakeThem) {
  const auto config = make_config("paac", {"env.id=labyrinth", "env.seconds=3600", "env.repeat=1"});
  EXPECT_GT(static_cast<double>(most_game_steps(config.env)), 3600 * config.env.spec().render_fps);
  EXPECT_GT(kMostGameSteps, 3600 * 50);
}

// Seen failing with a trait that left out dpg, whose actors add noise.
TEST(EndsByEvaluation, WhereActorsExplore) {
  const auto ends = [](const std::string& system, std::vector<std::string> words) {
    words.emplace_back("run.until_return=0.5");
    return ends_by_evaluation(make_config(system, words));
  };
  for (const std::string algo : {"one_step_q", "one_step_sarsa", "n_step_q"}) {
    EXPECT_TRUE(ends("a3c", {"env.id=catch", "algo=" + algo})) << algo;
  }
  EXPECT_TRUE(ends("apex", {"env.id=catch"}));
  EXPECT_TRUE(ends("apex", {"env.id=pendulum"}));
  EXPECT_FALSE(ends("a3c", {"env.id=catch"}));
  EXPECT_FALSE(ends("paac", {"env.id=catch", "algo=ppo"}));
  EXPECT_FALSE(ends_by_evaluation(make_config("apex", {"env.id=catch"})));
}

TEST(EndsByEvaluation, LooksAHundredTimesUnlessTheConfigSays) {
  auto config = make_config("apex", {"env.id=catch", "run.steps=50000", "run.until_return=0.5"});
  EXPECT_EQ(steps_between_evaluations(config), 500);
  EXPECT_EQ(training_evaluation(config)->every, 500);
  EXPECT_GT(training_evaluation(config)->share, 3 * EvaluatorOptions::kShare);
  config.run.evaluate_steps = 70;
  EXPECT_EQ(steps_between_evaluations(config), 70);
  config.run.evaluate_steps = 0;
  config.run.steps = 10;
  EXPECT_EQ(steps_between_evaluations(config), 1);
  config.run.until_return = kNoReturn;
  EXPECT_EQ(steps_between_evaluations(config), 0);
}

// No game of catch returns less than -1, so the first evaluation ends the run.
TEST_F(TrainingEvaluationTest, EndsARunOfAValueMethod) {
  const auto result = train("a3c", "run", {"algo=one_step_q", "run.until_return=-1"});
  const auto lines = lines_of(run("run").evaluations());
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(result["why_ended"], "return");
  EXPECT_EQ(result["reached_return"]["steps"], lines.front()["step"]);
  EXPECT_EQ(result["reached_return"]["seconds"], lines.front()["training_seconds"]);
  EXPECT_EQ(lines.front()["protocol"], "greedy") << "without the exploration of evaluations";
}

TEST(EndsByEvaluation, WithANumberOfEvaluationsTheirProtocolIsTheUsers) {
  const auto protocol = [](std::vector<std::string> words) {
    words.insert(words.end(), {"env.id=catch", "run.until_return=0.5"});
    return training_evaluation(make_config("apex", words))->protocol.actions;
  };
  EXPECT_EQ(protocol({}), "greedy");
  EXPECT_EQ(protocol({"run.until_evaluations=3"}), "sampled");
  EXPECT_EQ(protocol({"run.until_evaluations=3", "run.evaluate_protocol=greedy"}), "greedy");
}

// The keys are free on a resume; a resumed run goes on with its own evaluations.
TEST_F(TrainingEvaluationTest, MayBeginWithAResume) {
  train("paac", "run", {});
  auto config = load_config("", read_toml(run("run").config()));
  config.run.steps = 9000;
  config.run.evaluate_steps = 1000;
  std::vector<json> told;
  Training training(config, run("run").folder, true);
  training.run(
      {.progress = nullptr, .observe_evaluation = [&](const auto& line) { told.push_back(line); }});
  const auto lines = lines_of(run("run").evaluations());
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(told, lines);
  EXPECT_GT(lines.front()["step"], 6000);
}

}  // namespace
}  // namespace tandem
