// PAAC as a whole, over a linear network so that the sanitizers see all of it.
#include "tandem/systems/paac.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tandem/algo/a2c.h"
#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/temporary_folder.h"
#include "tandem/run/training_run.h"
#include "tandem/systems/parts.h"
#include "tests/support/linear_network.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

struct Scenario {
  fs::path folder;
  EnvFactory make_env = [](int) { return make_builtin_family()->make("cartpole", 0); };
  std::int64_t steps = 2000;
  int threads = 2;
  bool resume = false;
  double checkpoint_minutes = 10;
  double lr = 0.01;
  PaacConfig paac = {.envs = 10, .workers = 8, .t_max = 5, .envs_per_group = 3};
  std::function<bool()> stop_requested = [] { return false; };
};

/// The parameters at the end of a run.
std::vector<float> train(const Scenario& scenario) {
  const EnvSpec spec = make_builtin_family()->make("cartpole", 0)->spec();
  const auto algorithm = make_a2c({.gamma = 0.99});
  Learner learner(linear_architecture(spec), {.lr = scenario.lr}, 7);
  auto directory = scenario.resume ? RunDirectory::reopen(scenario.folder)
                                   : RunDirectory::create(scenario.folder);
  directory.write_config("");
  std::optional<FoundCheckpoint> found;
  if (scenario.resume) {
    found = find_latest(directory.paths().checkpoints(), [](const std::string&) {});
    load_learner(found->checkpoint, learner);
  }
  std::FILE* quiet = std::tmpfile();
  {
    TrainingRun run({.system = "paac",
                     .env = "cartpole",
                     .seed = 7,
                     .steps_budget = scenario.steps,
                     .checkpoint_minutes = scenario.checkpoint_minutes,
                     .stop_requested = scenario.stop_requested,
                     .progress = quiet},
                    std::move(directory), found ? &*found : nullptr);
    Parts parts{.make_env = scenario.make_env,
                .make_network =
                    [&](std::span<const float> parameters) {
                      return std::make_unique<LinearNetwork>(learner.architecture(), parameters);
                    },
                .algorithm = *algorithm,
                .learner = learner,
                .run = run,
                .seed = 7,
                .threads = scenario.threads,
                .resume = found ? &found->checkpoint : nullptr};
    train_paac(scenario.paac, parts);
    run.finish("");
  }
  std::fclose(quiet);
  const auto parameters = learner.parameters();
  return {parameters.begin(), parameters.end()};
}

class PaacTest : public testing::Test {
 protected:
  fs::path folder(const std::string& name) const { return root_.path() / name; }

 private:
  TemporaryFolder root_;
};

// Seen failing with the gradients summed in another order on two threads.
TEST_F(PaacTest, SameBitsForAnyNumberOfThreads) {
  const auto one = train({.folder = folder("one"), .threads = 1});
  EXPECT_EQ(one, train({.folder = folder("two"), .threads = 2}));
  EXPECT_EQ(one, train({.folder = folder("five"), .threads = 5}));
}

TEST_F(PaacTest, SameBitsWhenWorkersStepTheEnvironmentsOfOneGroup) {
  const PaacConfig one_group = {.envs = 10, .workers = 8, .t_max = 5, .envs_per_group = 10};
  const auto one = train({.folder = folder("one"), .threads = 1, .paac = one_group});
  EXPECT_EQ(one, train({.folder = folder("three"), .threads = 3, .paac = one_group}));
}

// Seen failing with the environments restarted instead of loaded.
TEST_F(PaacTest, ResumedRunEndsWithTheBitsOfTheUninterruptedOne) {
  const auto whole = train({.folder = folder("whole"), .steps = 3000});
  train({.folder = folder("parts"), .steps = 1250, .threads = 1});
  EXPECT_EQ(whole, train({.folder = folder("parts"), .steps = 3000, .resume = true}));
}

TEST_F(PaacTest, AStopLeavesACheckpointOfTheLastStep) {
  std::atomic<int> asked = 0;
  train({.folder = folder("stopped"), .stop_requested = [&] { return ++asked > 20; }});
  const auto found = find_latest(folder("stopped") / "checkpoints", [](const std::string&) {});
  std::ifstream file(folder("stopped") / "result.json");
  const auto result = nlohmann::json::parse(file);
  EXPECT_EQ(found.step, result.at("steps"));
  EXPECT_LT(found.step, 2000);
  EXPECT_GT(found.step, 0);
}

/// Throws in one step of one environment.
class Failing final : public Env {
 public:
  explicit Failing(bool fails)
      : inner_(make_builtin_family()->make("cartpole", 0)), fails_(fails) {}
  const EnvSpec& spec() const override { return inner_->spec(); }
  void reset(Stream& stream, std::span<std::byte> frame) override { inner_->reset(stream, frame); }
  StepResult step(const Action& action, Stream& stream, std::span<std::byte> frame) override {
    if (fails_ && ++steps_ == 57) throw Error("the pole broke");
    return inner_->step(action, stream, frame);
  }
  void save(StateWriter& writer) const override { inner_->save(writer); }
  void load(StateReader& reader) override { inner_->load(reader); }

 private:
  std::unique_ptr<Env> inner_;
  bool fails_;
  int steps_ = 0;
};

TEST_F(PaacTest, AnErrorInAnEnvironmentReachesTheUserWithItsIndex) {
  const auto make_env = [](int index) { return std::make_unique<Failing>(index == 8); };
  for (const int threads : {1, 3}) {
    try {
      train({.folder = folder("failing" + std::to_string(threads)),
             .make_env = make_env,
             .threads = threads});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("environment 8"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("the pole broke"), std::string::npos);
    }
  }
}

// A learning rate that blows the parameters up. Seen failing with the checks of record() and save()
// both removed.
TEST_F(PaacTest, ParametersThatAreNotFiniteEndTheRunAndSpoilNoCheckpoint) {
  const Scenario scenario{.folder = folder("nan"), .checkpoint_minutes = 0, .lr = 1e38};
  EXPECT_THROW(train(scenario), Error);
  const auto checkpoints = folder("nan") / "checkpoints";
  if (!fs::exists(checkpoints) || fs::is_empty(checkpoints)) return;
  const auto found = find_latest(checkpoints, [](const std::string&) {});
  for (const auto& [name, tensor] : found.checkpoint.tensors) {
    for (const float value : tensor.values) ASSERT_TRUE(std::isfinite(value)) << name;
  }
}

}  // namespace
}  // namespace tandem
