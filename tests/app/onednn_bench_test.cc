// `tandem bench` as a user runs it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace tandem {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;  // of stdout and stderr
};

Outcome tandem(const std::string& arguments) {
  const std::string command = TANDEM_BINARY_DIR "/tandem " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), n);
  }
  outcome.exit_code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

nlohmann::json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  return nlohmann::json::parse(outcome.output, nullptr, false);
}

const std::string kBenchCartpole = "bench paac --env cartpole --set net.arch=mlp ";

TEST(BenchTest, JsonHoldsPartsAndWhole) {
  const auto json = json_of(tandem(kBenchCartpole + "--threads 2 --seconds 2 --json"));
  for (const auto* key : {"steps_per_second", "t_env_us", "t_inference_us", "t_train_us",
                          "fraction_of_limit", "limit_steps_per_second"}) {
    EXPECT_GT(json.value(key, 0.0), 0.0) << key;
  }
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["system"], "paac");
  EXPECT_EQ(json["envs_per_forward_pass"], 16);
  EXPECT_EQ(json["rollouts_per_update"], 1);
  const double shares = json["time/stepping"].get<double>() + json["time/inferring"].get<double>() +
                        json["time/learning"].get<double>() + json["time/waiting"].get<double>();
  EXPECT_NEAR(shares, 1, 1e-9);
}

// The cost of sleeping does not depend on other work, so the true cost is known. Seen failing when
// a rollout's time was divided by its steps but not by its environments.
TEST(BenchTest, FindsTheCostOfAnEnvironmentThatSleeps) {
  const auto json = json_of(
      tandem("bench paac --env latency --set mean_us=5000 --set wait=sleeping --set net.arch=mlp "
             "--set paac.envs=4 --threads 1 --seconds 3 --json"));
  EXPECT_GE(json["t_env_us"], 5000);
  EXPECT_LE(json["t_env_us"], 15000);
  EXPECT_GT(json["time/stepping"], 0.5);
  EXPECT_GT(json["fraction_of_limit"], 0.35);
  EXPECT_LT(json["fraction_of_limit"], 2.5);
}

TEST(BenchTest, SweepMeasuresEachValue) {
  const auto json = json_of(tandem(kBenchCartpole + "--seconds 1 --sweep paac.envs=16,48 --json"));
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["paac.envs"], "16");
  EXPECT_EQ(json[0]["rollouts_per_update"], 1);
  EXPECT_EQ(json[1]["rollouts_per_update"], 3);
  EXPECT_GT(json[1]["steps_per_second"], 0);
}

TEST(BenchTest, PrintsATable) {
  const auto table = tandem(kBenchCartpole + "--seconds 1");
  EXPECT_EQ(table.exit_code, 0);
  for (const auto* word : {"t_env", "t_inf", "t_train", "of the limit", "waiting"}) {
    EXPECT_NE(table.output.find(word), std::string::npos) << word;
  }
}

TEST(BenchTest, MeasuresAnEnvironmentAlone) {
  const auto json = json_of(tandem("bench env --env cartpole --seconds 0.1 --json"));
  EXPECT_GT(json["steps_per_second"], 0);
}

TEST(BenchTest, RefusesWhatItCannotMeasure) {
  for (const auto* options :
       {"bench nosystem", "bench paac --sweep paac.envs", "bench paac --seconds 0",
        "bench paac --env cartpole --set net.arch=mlp --sweep paac.envz=1"}) {
    const auto refusal = tandem(options);
    EXPECT_EQ(refusal.exit_code, 2) << options;
    EXPECT_NE(refusal.output.find("tandem: error: "), std::string::npos) << refusal.output;
  }
}

}  // namespace
}  // namespace tandem
