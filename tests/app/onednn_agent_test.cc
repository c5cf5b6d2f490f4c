// `tandem eval` and `tandem record` on run directories made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/base/error.h"
#include "tandem/env/vec_env.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/trainer/config.h"
#include "tandem/trainer/whole_games.h"
#include "tests/support/plugin_path.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

class AgentTest : public testing::Test {
 protected:
  AgentTest() { fs::remove_all(paths_.folder); }
  ~AgentTest() override { fs::remove_all(paths_.folder); }

  // Makes a run of an untrained network, with a checkpoint at each of these steps.
  void make_run(const std::string& env, const std::string& arch, std::vector<std::int64_t> steps) {
    const auto config =
        load_config("paac", {{"env.id", env, "--env"}, {"net.arch", arch, "--set"}});
    fs::create_directories(paths_.folder);
    std::ofstream(paths_.config()) << config.toml();

    const auto architecture = make_architecture(config.net, config.env.factory(1)(0)->spec());
    std::vector<float> parameters(static_cast<std::size_t>(architecture.parameter_count()));
    Stream stream(1, 0);
    initialise(architecture, stream, parameters);
    Checkpoint checkpoint;
    for (const auto& info : architecture.parameters()) {
      checkpoint.add_tensor(info.name, info.shape,
                            std::span(parameters)
                                .subspan(static_cast<std::size_t>(info.offset),
                                         static_cast<std::size_t>(info.count)));
    }
    for (const auto step : steps) write_checkpoint(checkpoint, paths_.checkpoints(), step);
  }

  // Runs `tandem COMMAND RUN WORDS...` and returns what it prints to stdout.
  std::string tandem(const std::string& command, std::vector<std::string> words) const {
    CLI::App program;
    add_eval(program);
    add_record(program);
    add_starts(program);
    words.insert(words.begin(), {command, paths_.folder.string()});
    std::ranges::reverse(words);  // CLI11 takes the last word first
    testing::internal::CaptureStdout();
    try {
      program.parse(words);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    return testing::internal::GetCapturedStdout();
  }

  json eval(std::vector<std::string> words) const {
    words.emplace_back("--json");
    return json::parse(tandem("eval", std::move(words)));
  }

  void damage(std::int64_t step) const {
    const auto folder = find_at_step(paths_.checkpoints(), step).folder;
    std::ofstream(folder / "tensors.safetensors", std::ios::app) << "x";
  }

  const RunPaths paths_{
      fs::path(testing::TempDir()) /
      ("agent_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))};
};

TEST_F(AgentTest, JsonTellsEachGame) {
  make_run("cartpole", "mlp", {1000});
  const auto result = eval({"--episodes", "4", "--seed", "5"});
  EXPECT_EQ(result["env"], "cartpole");
  EXPECT_EQ(result["checkpoint_steps"], 1000);
  EXPECT_EQ(result["seed"], 5);
  EXPECT_EQ(result["greedy"], false);
  EXPECT_TRUE(result["human_normalised"].is_null());
  const auto returns = result["returns"].get<std::vector<double>>();
  ASSERT_THAT(returns, SizeIs(4));
  EXPECT_DOUBLE_EQ(result["mean"], (returns[0] + returns[1] + returns[2] + returns[3]) / 4);
  EXPECT_EQ(result["lengths"], result["returns"]);  // CartPole gives a point for each step
}

TEST_F(AgentTest, TableTellsEachGame) {
  make_run("cartpole", "mlp", {1000});
  const auto table = tandem("eval", {"--episodes", "3"});
  EXPECT_THAT(table, AllOf(HasSubstr("cartpole after 1000 steps"), HasSubstr("3 games, sampled"),
                           HasSubstr("mean"), HasSubstr("median"), HasSubstr("std"),
                           HasSubstr("min..max"), HasSubstr("returns")));
}

TEST_F(AgentTest, ThreadsDoNotChangeTheScore) {
  make_run("catch", "mlp", {1000});
  EXPECT_EQ(eval({"--threads", "1", "--episodes", "7"}),
            eval({"--threads", "3", "--episodes", "7"}));
}

TEST_F(AgentTest, DamagedCheckpointsAreNamedAndSkipped) {
  make_run("cartpole", "mlp", {1000, 2000, 3000});
  EXPECT_EQ(eval({"--episodes", "1"})["checkpoint_steps"], 3000);
  damage(3000);
  testing::internal::CaptureStderr();
  EXPECT_EQ(eval({"--episodes", "1"})["checkpoint_steps"], 2000);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("000000003000"), HasSubstr("damaged")));
  EXPECT_EQ(eval({"--episodes", "1", "--checkpoint", "1000"})["checkpoint_steps"], 1000);
  EXPECT_THAT([&] { eval({"--checkpoint", "3000"}); }, ThrowsMessage<Error>(HasSubstr("damaged")));
  EXPECT_THAT(
      [&] {
        eval({"--checkpoint", "7"});
      },
      ThrowsMessage<Error>(HasSubstr("there are: 1000 2000 3000")));
}

// Seen failing when --best took the newest checkpoint.
TEST_F(AgentTest, ChoosesTheBestCheckpoint) {
  make_run("cartpole", "mlp", {1000, 2000});
  EXPECT_THAT([&] { eval({"--best"}); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("has no best checkpoint"), HasSubstr("run.evaluate_steps"))));
  write_checkpoint(find_at_step(paths_.checkpoints(), 1000).checkpoint, paths_.best(), 1500);
  const auto best = eval({"--episodes", "1", "--best"});
  EXPECT_EQ(best["checkpoint_steps"], 1500);
  EXPECT_THAT(best["checkpoint"].get<std::string>(), HasSubstr("best/000000001500"));
  EXPECT_EQ(eval({"--episodes", "1"})["checkpoint_steps"], 2000);
  EXPECT_THAT(
      [&] {
        eval({"--best", "--checkpoint", "1000"});
      },
      testing::Throws<CLI::ExcludesError>());
}

TEST_F(AgentTest, OptionsOfTheEnvironmentCanBeChanged) {
  make_run("cartpole", "mlp", {1000});
  const auto result = eval({"--episodes", "5", "--set", "env.max_steps=3"});
  EXPECT_THAT(result["lengths"].get<std::vector<int>>(), Each(3));
  EXPECT_THAT(
      [&] {
        eval({"--set", "net.hidden=32"});
      },
      ThrowsMessage<Error>(HasSubstr("net.hidden belongs to the trained agent")));
  EXPECT_THAT(
      [&] {
        eval({"--set", "env.id=catch"});
      },
      ThrowsMessage<Error>(HasSubstr("env.id belongs to the trained agent")));
}

// Games of CartPole go on from the starts, with the same pole: all of an untrained policy's games
// from a start late in a game are short.
TEST_F(AgentTest, SampledStartsAreRecordedAndPlayedFrom) {
  make_run("cartpole", "mlp", {1000});
  const auto file = (paths_.folder / "some" / "cartpole.starts").string();
  const auto said = tandem("starts", {"--out", file, "--count", "6"});
  EXPECT_THAT(said, AllOf(HasSubstr("6 starts of cartpole"),
                          HasSubstr("paac with a2c after 1000 steps of training, sampled actions"),
                          HasSubstr("not the human starts")));
  const std::vector<std::string> words = {"--protocol", "sampled_starts", "--starts", file};
  const auto result = eval(words);
  EXPECT_EQ(result["protocol"], "sampled_starts");
  EXPECT_EQ(result["episodes"], 6);  // one from each
  EXPECT_EQ(result["starts"], file);
  EXPECT_THAT(result["starts_policy"].get<std::string>(), HasSubstr("paac with a2c"));
  EXPECT_EQ(result["lengths"], result["returns"]);
  EXPECT_EQ(result, eval(words));
  auto more = words;
  more.insert(more.end(), {"--episodes", "13"});
  EXPECT_EQ(eval(more)["episodes"], 13);
  EXPECT_THAT(tandem("eval", words),
              AllOf(HasSubstr("protocol sampled_starts: games begin in states sampled from"),
                    HasSubstr("not the human starts of A3C and Ape-X")));

  EXPECT_THAT(
      [&] {
        tandem("starts", {"--out", file});
      },
      ThrowsMessage<Error>(HasSubstr("a file of this name already")));
  EXPECT_THAT(tandem("starts", {"--out", file + "2", "--count", "2", "--random"}),
              HasSubstr("uniformly random actions"));
}

TEST_F(AgentTest, StartsOfAnotherGameAreRefused) {
  make_run("cartpole", "mlp", {1000});
  const auto file = (paths_.folder / "cartpole.starts").string();
  tandem("starts", {"--out", file, "--count", "2"});
  const std::vector<std::string> words = {"--protocol", "sampled_starts", "--starts", file};
  auto changed = words;
  changed.insert(changed.end(), {"--set", "env.max_steps=9"});
  EXPECT_THAT([&] { eval(changed); },
              ThrowsMessage<Error>(AllOf(HasSubstr("env.max_steps = 0"), HasSubstr("with 9"))));
  const auto elsewhere = fs::path(testing::TempDir()) / "elsewhere.starts";
  fs::copy_file(file, elsewhere, fs::copy_options::overwrite_existing);
  fs::remove_all(paths_.folder);
  make_run("catch", "mlp", {1000});
  EXPECT_THAT(
      [&] {
        eval({"--protocol", "sampled_starts", "--starts", elsewhere.string()});
      },
      ThrowsMessage<Error>(
          AllOf(HasSubstr("are of cartpole"), HasSubstr("this agent plays catch"))));
  fs::remove(elsewhere);
}

TEST_F(AgentTest, ProtocolsThatDoNotFitAreRefusedInWords) {
  make_run("cartpole", "mlp", {1000});
  const auto refused = [&](std::vector<std::string> words, const std::string& why) {
    EXPECT_THAT([&] { eval(words); }, ThrowsMessage<Error>(HasSubstr(why)));
  };
  refused({"--protocol", "noop"}, "protocol noop: cartpole has no no-op starts");
  refused({"--protocol", "sampled_starts"}, "needs --starts FILE");
  refused({"--starts", "file"}, "belongs to --protocol sampled_starts");
  refused({"--protocol", "noop", "--start", "fixed"}, "leave --start out");
  refused({"--protocol", "hts", "--greedy"}, "so --greedy cannot change them");
  refused({"--protocol", "hts", "--episodes", "3"}, "so --episodes cannot change them");
  refused({"--protocol", "hts", "--threads", "2"}, "so --threads cannot change them");
  refused({"--protocol", "hts"}, "has evaluated 0");
}

TEST_F(AgentTest, TheFinalMetricComesFromRecordedEvaluations) {
  make_run("cartpole", "mlp", {1000});
  std::ofstream file(paths_.evaluations());
  for (int p = 1; p <= 11; ++p) {
    file << json{{"step", 100 * p},
                 {"episodes", 10},
                 {"mean", p},
                 {"std", 0.0},
                 {"min", p},
                 {"max", p},
                 {"protocol", "sampled"},
                 {"start", "trained"},
                 {"seconds", 1},
                 {"training_seconds", p},
                 {"returns", std::vector<double>(10, p)}}
                .dump()
         << "\n";
  }
  file.close();
  const auto result = eval({"--protocol", "hts"});
  EXPECT_EQ(result["protocol"], "hts");
  EXPECT_EQ(result["mean"], 6.5);  // of 2, ..., 11
  EXPECT_EQ(result["episodes"], 100);
  EXPECT_EQ(result["policy_steps"].front(), 200);
  EXPECT_THAT(tandem("eval", {"--protocol", "hts"}),
              AllOf(HasSubstr("10 games by each of the last 10 policies"), HasSubstr("6.50")));
}

TEST_F(AgentTest, BadInputIsRefusedInWords) {
  EXPECT_THAT([&] { eval({}); }, ThrowsMessage<Error>(HasSubstr("is not the folder of a run")));
  make_run("cartpole", "mlp", {});
  EXPECT_THAT([&] { eval({}); }, ThrowsMessage<Error>(HasSubstr("there is no checkpoint")));
  make_run("cartpole", "mlp", {1000});
  EXPECT_THAT(
      [&] {
        eval({"--start", "noop"});
      },
      ThrowsMessage<Error>(HasSubstr("no no-op starts")));

  auto config = load_config("", read_toml(paths_.config()));
  config.net.hidden = 32;
  std::ofstream(paths_.config()) << config.toml();
  EXPECT_THAT([&] { eval({}); }, ThrowsMessage<Error>(HasSubstr("values, this network needs")));
  std::ofstream(paths_.config(), std::ios::app) << "\n[future]\nkey = 1\n";
  EXPECT_THAT([&] { eval({}); }, ThrowsMessage<Error>(HasSubstr("future.key")));
}

TEST_F(AgentTest, RecordsAGame) {
  make_run("cartpole", "mlp", {1000});
  const auto file = paths_.folder / "game.mp4";
  const auto said = tandem("record", {"--out", file.string(), "--scale", "1"});
  EXPECT_THAT(said, HasSubstr("a game of cartpole after 1000 steps of training, return "));
  EXPECT_GT(fs::file_size(file), 500U);
}

class AtariAgentTest : public AgentTest {
 protected:
  void SetUp() override {
    if (!has_plugin("atari")) {
      GTEST_SKIP() << "built without the Atari plug-in";
    }
    make_run("atari:Breakout", "nips", {1000});
  }
};

// A run's config may end training episodes at a lost life. Evaluation still plays Breakout's whole
// games, of five lives.
TEST_F(AtariAgentTest, PlaysWholeGames) {
  std::ifstream stream(paths_.config());
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  const std::string off = "life_loss_terminal = false";
  ASSERT_NE(text.find(off), std::string::npos);
  const auto whole = eval({"--episodes", "3"});
  text.replace(text.find(off), off.size(), "life_loss_terminal = true");
  std::ofstream(paths_.config()) << text;
  EXPECT_EQ(eval({"--episodes", "3"}), whole);
  const double normalised = (whole["mean"].get<double>() - 1.7) / 28.8;
  EXPECT_NEAR(whole["human_normalised"], normalised, 1e-9);
}

// Without FIRE Breakout's ball is never served. Seen failing when lives did not begin with it: the
// game of an agent that presses no button had no end.
TEST_F(AtariAgentTest, LivesBeginByFireAsInTheTraining) {
  auto config = load_config("paac", {{"env.id", "atari:Breakout", "--env"},
                                     {"env.life_loss_terminal", "auto", "--set"},
                                     {"env.fire_reset", "auto", "--set"}});
  play_whole_games(config.env);
  VecEnv env(config.env.factory(1), {.count = 1});
  std::vector<std::byte> observation(env.spec().observation_bytes());
  env.reset(observation);
  const std::vector<Action> nothing(1);
  int steps = 0;
  int lives = 1;
  while (!env.result(0).game_over && steps++ < 2000) {
    env.step(nothing, observation);
    if (env.result(0).terminated && !env.result(0).game_over) ++lives;
  }
  EXPECT_LT(steps, 2000);
  EXPECT_EQ(lives, 5);
}

// The run's own limit, of 400 frames or 100 steps, is that of training; a whole game of five lives
// is longer. Seen failing when the protocol kept the run's limit.
TEST_F(AtariAgentTest, NoopHasThirtyMinutesWhateverTheRunHad) {
  std::ifstream stream(paths_.config());
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  const std::string usual = "max_frames = 108000";
  ASSERT_NE(text.find(usual), std::string::npos);
  text.replace(text.find(usual), usual.size(), "max_frames = 400");
  std::ofstream(paths_.config()) << text;
  const auto trained = eval({"--episodes", "2"});
  EXPECT_EQ(trained["max_frames"], 400);
  EXPECT_THAT(trained["lengths"].get<std::vector<int>>(), Each(testing::Le(100)));
  const auto noop = eval({"--episodes", "2", "--protocol", "noop"});
  EXPECT_EQ(noop["protocol"], "noop");
  EXPECT_EQ(noop["max_frames"], 108000);
  EXPECT_THAT(noop["lengths"].get<std::vector<int>>(), Each(testing::Gt(100)));
  EXPECT_EQ(noop["human_normalised_by"], "no-op starts");
  // The user's own limit holds, and is told.
  const auto shorter =
      eval({"--episodes", "2", "--protocol", "noop", "--set", "env.max_frames=800"});
  EXPECT_EQ(shorter["max_frames"], 800);
  EXPECT_THAT(
      tandem("eval", {"--episodes", "2", "--protocol", "noop", "--set", "env.max_frames=800"}),
      HasSubstr("a game is cut off 800 frames (0.222222 minutes) after its beginning"));
  const auto without_noops = [&] { eval({"--protocol", "noop", "--set", "env.noop_max=0"}); };
  EXPECT_THAT(without_noops, ThrowsMessage<Error>(HasSubstr("protocol noop tells how games")));
}

// A game that is cut off 400 frames after its own beginning has fewer steps left from its start.
TEST_F(AtariAgentTest, GamesGoOnFromSampledStarts) {
  const auto file = (paths_.folder / "breakout.starts").string();
  tandem("starts", {"--out", file, "--count", "5", "--set", "env.max_frames=400"});
  const std::vector<std::string> words = {"--protocol", "sampled_starts", "--starts", file};
  EXPECT_EQ(eval(words)["max_frames"], 108000);
  auto limited = words;
  limited.insert(limited.end(), {"--set", "env.max_frames=400"});
  const auto lengths = eval(limited)["lengths"].get<std::vector<int>>();
  EXPECT_THAT(lengths, AllOf(SizeIs(5), Each(testing::Lt(100))));
  EXPECT_GT(std::set<int>(lengths.begin(), lengths.end()).size(), 1U);
  auto other = words;
  other.insert(other.end(), {"--set", "env.sticky=0.25"});
  EXPECT_THAT([&] { eval(other); }, ThrowsMessage<Error>(HasSubstr("env.sticky = 0")));
}

// Seen failing when both starts had 30 no-ops.
TEST_F(AtariAgentTest, StartsAsAskedFor) {
  make_run("atari:Pong", "nips", {1000});
  const auto lengths = [&](const std::string& start) {
    const auto result = eval({"--episodes", "3", "--greedy", "--start", start});
    return result["lengths"].get<std::set<int>>();
  };
  EXPECT_THAT(lengths("fixed"), SizeIs(1));  // without no-ops and sampling all games are the same
  EXPECT_THAT(lengths("noop"), SizeIs(testing::Gt(1U)));
  EXPECT_THAT([&] { eval({"--start", "human"}); }, testing::Throws<CLI::ValidationError>());
}

}  // namespace
}  // namespace tandem
