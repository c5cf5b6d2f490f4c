#include "tandem/study/sweep_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tandem/app/config_options.h"
#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/run/run_directory.h"
#include "tandem/study/sweep_folder.h"
#include "tests/support/config_values.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

SweepPlan plan_of(const std::vector<std::string>& vary, int repetitions = 2,
                  const std::string& words = "") {
  CLI::App app;
  ConfigOptions options;
  options.add_to(app);
  app.parse("paac --env cartpole --set steps=100 --set seed=5 " + words);
  std::vector<Variation> variations;
  for (const auto& text : vary) variations.push_back(parse_variation(text));
  return plan_sweep(options, {}, variations, repetitions);
}

std::string refusal(const std::vector<std::string>& vary, const std::string& words = "") {
  return error_of([&] { std::ignore = plan_of(vary, 2, words); });
}

// A study may vary keys that the user has set.
TEST(SweepPlan, MayReplaceWhatWasGiven) {
  CLI::App app;
  ConfigOptions options;
  options.add_to(app);
  app.parse("paac --env cartpole --steps 100 --set lr=0.5");
  const auto plan =
      plan_sweep(options, {}, {parse_variation("lr+steps=0.1+7,0.2+8")}, 1, Given::replaced);
  ASSERT_EQ(plan.runs.size(), 2);
  EXPECT_EQ(plan.runs[1].config.optimizer.lr, 0.2);
  EXPECT_EQ(plan.runs[1].config.run.steps, 8);
}

TEST(SweepPlan, EveryCombinationInEveryRepetition) {
  const auto plan = plan_of({"lr=log_uniform(1e-4,1e-2)", "kind=momentum,rmsprop", "t_max=5,10"});
  EXPECT_THAT(plan.keys, ElementsAre("optimizer.lr", "optimizer.kind", "paac.t_max"));
  ASSERT_EQ(plan.runs.size(), 8);
  std::set<std::string> titles;
  for (std::size_t i = 0; i < 8; ++i) {
    const auto& run = plan.runs[i];
    titles.insert(run.title(plan.keys));
    EXPECT_EQ(run.number, static_cast<int>(i) + 1);
    EXPECT_EQ(run.config.run.seed, i < 4 ? 5 : 6);
    // Compared runs have the same draws.
    EXPECT_EQ(run.config.optimizer.lr, plan.runs[i < 4 ? 0 : 4].config.optimizer.lr);
    EXPECT_EQ(std::stod(run.values[0]), run.config.optimizer.lr);
    EXPECT_EQ(run.values[1], run.config.optimizer.kind);
    EXPECT_EQ(std::stoi(run.values[2]), value_of(run.config, "paac.t_max"));
  }
  EXPECT_EQ(titles.size(), 8);
  EXPECT_NE(plan.runs[0].config.optimizer.lr, plan.runs[4].config.optimizer.lr);
}

TEST(SweepPlan, DependsOnTheSeedAlone) {
  const std::vector<std::string> vary = {"lr=log_uniform(1e-4,1e-2)"};
  const auto plan = plan_of(vary);
  EXPECT_EQ(plan_of(vary).runs[1].values, plan.runs[1].values);
  EXPECT_NE(plan_of(vary, 2, "--seed 6").runs[1].values, plan.runs[1].values);
  const auto longer = plan_of(vary, 9);
  EXPECT_EQ(longer.runs[1].values, plan.runs[1].values) << "more runs only add to the plan";
}

// Seen failing when the config itself drew a learning rate by the seed.
TEST(SweepPlan, ItsLearningRateIsTheSweeps) {
  const auto* words = "--set optimizer.lr_choice=log_uniform";
  for (const auto& run : plan_of({"lr=0.5,0.6"}, 1, words).runs) {
    EXPECT_EQ(run.config.optimizer.lr, std::stod(run.values[0]));
  }
  const auto drawn = plan_of({"kind=adam,rmsprop"}, 2, words).runs;
  EXPECT_EQ(drawn[0].config.optimizer.lr, drawn[1].config.optimizer.lr);
  EXPECT_NE(drawn[0].config.optimizer.lr, drawn[2].config.optimizer.lr) << "another seed";
}

TEST(SweepPlan, KeysThatChangeTogether) {
  const auto plan = plan_of({"kind+optimizer.momentum=momentum+0.9,rmsprop+0"}, 1);
  ASSERT_EQ(plan.runs.size(), 2);
  EXPECT_EQ(plan.runs[0].config.optimizer.momentum, 0.9);
  EXPECT_EQ(plan.runs[1].config.optimizer.kind, "rmsprop");
}

TEST(SweepPlan, MethodsHaveKeysOfTheirOwn) {
  const auto plan = plan_of({"method=a3c,n_step_q"}, 1);
  EXPECT_THAT(plan.keys, ElementsAre("algo"));
  EXPECT_EQ(plan.runs[0].config.algo, "a2c");
  EXPECT_EQ(plan.runs[1].config.algo, "n_step_q");
  const auto& config = plan.description["config"];
  EXPECT_TRUE(config.contains("a2c.gamma"));
  EXPECT_TRUE(config.contains("q.gamma"));
  EXPECT_FALSE(config.contains("algo")) << "the variation says it";
  // Seen failing when only the last preset's value was kept, so that a resumed sweep could not tell
  // that the first one had other numbers by then.
  EXPECT_EQ(config["env.normalise"], nlohmann::ordered_json::array({false, true}));
  EXPECT_EQ(config["env.id"], "cartpole") << "the same in all";
}

TEST(SweepPlan, IntegersAreDrawnWhole) {
  for (const auto& run : plan_of({"t_max=uniform(2,30)"}, 5).runs) {
    EXPECT_EQ(std::stoi(run.values[0]), value_of(run.config, "paac.t_max"));
  }
}

TEST(SweepPlan, RefusesWhatCannotBe) {
  EXPECT_THAT(refusal({"lrr=1,2"}), HasSubstr("did you mean optimizer.lr?"));
  EXPECT_THAT(refusal({"kind=adam,adamant"}), HasSubstr("not \"adamant\""));
  EXPECT_THAT(refusal({"gamma=uniform(0.5,9)"}), HasSubstr("--vary gamma=uniform(0.5,9)"));
  EXPECT_THAT(refusal({"seed=1,2"}), HasSubstr("run.seed cannot be varied"));
  EXPECT_THAT(refusal({"system=paac,a3c"}), HasSubstr("SYSTEM cannot be varied"));
  EXPECT_THAT(refusal({"lr=1,2", "optimizer.lr=3"}), HasSubstr("twice"));
  EXPECT_THAT(refusal({"lr=1,2"}, "--set lr=1"), HasSubstr("by --vary and by another option"));
}

TEST(SweepPlan, RefusesSeedsBeyondTheLargest) {
  const std::string last = "--seed 9223372036854775807";
  EXPECT_EQ(plan_of({"lr=1,2"}, 1, last).runs.back().config.run.seed,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(refusal({"lr=1,2"}, last),
              AllOf(HasSubstr("run.seed = 9223372036854775807"), HasSubstr("2 runs")));
}

class SweepFolderTest : public testing::Test {
 protected:
  std::string refusal(const SweepPlan& plan) {
    return error_of([&] { const SweepFolder again(dir_, plan); });
  }

  static void write_result(const fs::path& run, const nlohmann::json& changes) {
    nlohmann::json result = {{"steps", 100},         {"frames", 400},
                             {"seconds", 1.25},      {"episodes", 7},
                             {"mean_return", 21},    {"reached_return", nullptr},
                             {"why_ended", "budget"}};
    result.update(changes);
    fs::create_directories(run);
    std::ofstream(run / "result.json") << result;
  }

  std::vector<std::string> csv() const {
    std::ifstream stream(dir_ / "sweep.csv");
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  TemporaryFolder folder_;
  fs::path dir_ = folder_.path() / "sweep";
};

TEST_F(SweepFolderTest, GoesOnWithTheSameSweepOnly) {
  { const SweepFolder first(dir_, plan_of({"lr=uniform(0,1)"})); }
  EXPECT_EQ(refusal(plan_of({"lr=uniform(0,1)"})), "");
  EXPECT_THAT(refusal(plan_of({"lr=uniform(0,2)"})),
              AllOf(HasSubstr("holds another sweep"), HasSubstr("uniform(0,1)"),
                    HasSubstr("uniform(0,2)"), HasSubstr("--out")));
  EXPECT_THAT(refusal(plan_of({"lr=uniform(0,1)"}, 2, "--set gamma=0.5 --steps 200")),
              AllOf(HasSubstr("a2c.gamma is 0.99 there and 0.5 here"),
                    HasSubstr("run.steps is 100 there and 200 here")));
  EXPECT_EQ(refusal(plan_of({"lr=uniform(0,1)"}, 3)), "") << "more runs";
  EXPECT_THAT(refusal(plan_of({"lr=uniform(0,1)"}, 2)), HasSubstr("runs is 3 there and 2 here"));
}

TEST_F(SweepFolderTest, IsOneProcessesAndNobodyElses) {
  const auto plan = plan_of({"lr=uniform(0,1)"});
  const SweepFolder first(dir_, plan);
  EXPECT_THAT(refusal(plan), HasSubstr("another process"));
  fs::create_directories(folder_.path() / "full" / "letters");
  EXPECT_THROW(SweepFolder(folder_.path() / "full", plan), Error);
}

TEST_F(SweepFolderTest, NoticesThatItWasMoved) {
  const SweepFolder folder(dir_, plan_of({"lr=uniform(0,1)"}));
  EXPECT_NO_THROW(folder.require_in_place());
  fs::rename(dir_, folder_.path() / "elsewhere");
  EXPECT_THROW(folder.require_in_place(), Error);
}

TEST_F(SweepFolderTest, EarlierAttemptsHavePathsOfTheirOwn) {
  const SweepPaths paths{dir_};
  EXPECT_EQ(paths.before(7), dir_ / "before" / "007");
  fs::create_directories(dir_ / "before" / "007");
  fs::create_directories(dir_ / "before" / "007-2");
  EXPECT_EQ(paths.before(7), dir_ / "before" / "007-3");
}

TEST_F(SweepFolderTest, TheCsvHoldsWhatHasEnded) {
  const auto plan = plan_of({"kind=momentum,rmsprop"}, 3);
  const SweepFolder folder(dir_, plan);
  write_result(folder.paths().run(1), nlohmann::json::object());
  write_result(folder.paths().run(2), {{"why_ended", "diverged: the loss, \"so to speak\""}});
  write_result(folder.paths().run(3), {{"why_ended", "signal"}});
  write_result(folder.paths().run(4), {{"why_ended", "error: the disk is full"}});
  write_result(folder.paths().run(6),
               {{"why_ended", "return"}, {"reached_return", {{"frames", 320}, {"seconds", 1}}}});
  folder.write_csv(plan);
  EXPECT_THAT(
      csv(),
      ElementsAre(
          "run,optimizer.kind,seed,why_ended,score,steps,frames,episodes,seconds,frames_to_return,"
          "seconds_to_return,folder,message",
          "1,momentum,5,budget,21,100,400,7,1.250,,,runs/001,",
          "2,rmsprop,5,diverged,,100,400,7,1.250,,,runs/002,\"the loss, \"\"so to speak\"\"\"",
          "6,rmsprop,7,return,21,100,400,7,1.250,320,1.000,runs/006,"));
}

TEST_F(SweepFolderTest, ADamagedResultIsNoResult) {
  const auto plan = plan_of({"kind=momentum"});
  const SweepFolder folder(dir_, plan);
  fs::create_directories(folder.paths().run(1));
  std::ofstream(RunPaths{folder.paths().run(1)}.result()) << "{";
  EXPECT_THROW(std::ignore = folder.outcome(plan.runs[0]), Error);
}

}  // namespace
}  // namespace tandem
