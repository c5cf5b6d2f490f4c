// Ape-X DPG in the program: refused combinations, and the evaluation of its agents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tandem/app/commands.h"
#include "tandem/io/temporary_folder.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/systems/common/learner_state.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/config.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::SizeIs;

Config config_of(const std::string& system, const std::string& env,
                 std::vector<Setting> more = {{"algo", "dpg", "--set"}}) {
  more.insert(more.begin(), {"env.id", env, "--env"});
  return load_config(system, more);
}

std::string refusal(const Config& config) {
  return error_of([&] { const Assembly assembly(config); });
}

TEST(DpgAssembly, SaysWhatDoesNotFit) {
  EXPECT_EQ(refusal(config_of("apex", "pendulum")), "");
  EXPECT_THAT(refusal(config_of("paac", "pendulum")), HasSubstr("learns from a replay"));
  EXPECT_THAT(refusal(config_of("apex", "cartpole")), HasSubstr("needs continuous actions"));
  EXPECT_THAT(refusal(config_of("apex", "pendulum",
                                {{"algo", "dpg", "--set"}, {"net.arch", "mlp", "--set"}})),
              HasSubstr("use both, or neither"));
  EXPECT_THAT(refusal(config_of("paac", "pendulum", {{"net.arch", "dpg", "--set"}})),
              HasSubstr("use both, or neither"));
  EXPECT_THAT(refusal(config_of("apex", "pendulum",
                                {{"algo", "dpg", "--set"}, {"precision", "bf16", "--set"}})),
              HasSubstr("in fp32"));
}

class DpgAgentTest : public testing::Test {
 protected:
  // Makes a run of an untrained network.
  DpgAgentTest() {
    const auto config = config_of("apex", "pendulum");
    std::filesystem::create_directories(paths_.folder);
    std::ofstream(paths_.config()) << config.toml();
    Assembly assembly(config);
    Checkpoint checkpoint;
    save_learner(assembly.learner(), checkpoint);
    write_checkpoint(checkpoint, paths_.checkpoints(), 1000);
  }

  json eval(std::vector<std::string> words) const {
    CLI::App program;
    add_eval(program);
    words.insert(words.begin(), {"eval", paths_.folder.string()});
    words.emplace_back("--json");
    std::ranges::reverse(words);  // CLI11 takes the last word first
    testing::internal::CaptureStdout();
    program.parse(words);
    return json::parse(testing::internal::GetCapturedStdout());
  }

  TemporaryFolder folder_;
  const RunPaths paths_{folder_.path() / "run"};
};

// Appendix D: "Evaluation is performed using the noiseless deterministic policy".
TEST_F(DpgAgentTest, IsMeasuredWithoutNoise) {
  const auto sampled = eval({"--episodes", "2", "--seed", "5"});
  EXPECT_EQ(sampled["checkpoint_steps"], 1000);
  ASSERT_THAT(sampled["returns"], SizeIs(2));
  EXPECT_LT(sampled["mean"], 0);
  EXPECT_EQ(eval({"--episodes", "1", "--seed", "5", "--greedy"})["returns"][0],
            sampled["returns"][0]);
}

}  // namespace
}  // namespace tandem
