// The settings that random play measures when a run begins.
#include "tandem/trainer/measured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tandem/trainer/assembly.h"
#include "tandem/trainer/presets.h"
#include "tests/support/error_of.h"
#include "tests/support/plugin_path.h"
#include "tests/support/three_steps.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Shows four pixels: all are 0 at the start, and 51 brighter after each of the episode's three
/// steps.
class Brighter final : public Env {
 public:
  const EnvSpec& spec() const override { return spec_; }
  void reset(Stream&, std::span<std::byte> frame) override {
    age_ = 0;
    show(frame);
  }
  StepResult step(std::span<const Action>, Stream&, std::span<std::byte> frame) override {
    ++age_;
    show(frame);
    return {.terminated = age_ == 3, .game_over = age_ == 3};
  }
  void save(StateWriter& writer) const override { writer.put(age_); }
  void load(StateReader& reader) override { age_ = reader.get<int>(); }

 private:
  void show(std::span<std::byte> frame) const {
    std::ranges::fill(frame, static_cast<std::byte>(51 * age_));
  }

  const EnvSpec spec_{.dtype = DType::u8, .frame_shape = {1, 2, 2}, .num_actions = 2};
  int age_ = 0;
};

/// "tiny:grey" and "tiny:ages"; counts the environments that it makes.
class TinyFamily final : public EnvFamily {
 public:
  explicit TinyFamily(std::shared_ptr<int> made) : made_(std::move(made)) {}

  [[nodiscard]] std::vector<std::string> names() const override { return {"ages", "grey"}; }
  [[nodiscard]] FieldList fields() override { return {}; }
  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t) override {
    ++*made_;
    if (name == "grey") return std::make_unique<Brighter>();
    return std::make_unique<ThreeSteps>(1, 1.0F);
  }

 private:
  std::shared_ptr<int> made_;
};

class MeasuredTest : public testing::Test {
 protected:
  MeasuredTest() {
    auto own = *published();
    own.families.push_back({"tiny", [made = made_] { return std::make_unique<TinyFamily>(made); }});
    catalogue_ = std::make_shared<const Catalogue>(std::move(own));
  }

  [[nodiscard]] Config config(const std::string& env, const std::vector<std::string>& words) const {
    std::vector<Setting> settings = {{"env.id", env, "--env"}, {"net.arch", "mlp", "--set"}};
    for (const auto& word : words) settings.push_back(parse_assignment(word));
    return load_config("paac", settings, catalogue_);
  }

  [[nodiscard]] Config reloaded(const Config& config) const {
    return load_config("", parse_toml(config.toml(), "config.toml"), catalogue_);
  }

  std::shared_ptr<int> made_ = std::make_shared<int>(0);
  std::shared_ptr<const Catalogue> catalogue_;
};

// The mean of 0, 51, 102 and 153, divided by 255.
TEST_F(MeasuredTest, PixelMeanIsThatOfRandomPlay) {
  EXPECT_DOUBLE_EQ(measured(config("tiny:grey", {"net.pixel_mean=auto"})).net.pixel_mean, 0.3);
  EXPECT_EQ(measured(config("tiny:ages", {"net.pixel_mean=auto"})).net.pixel_mean, 0);
}

// Half of the pixels are 0 or 51. Seen failing with the mean, and with the next grey level.
TEST_F(MeasuredTest, PixelMedianIsThatOfRandomPlay) {
  EXPECT_DOUBLE_EQ(measured(config("tiny:grey", {"net.pixel_mean=median"})).net.pixel_mean, 0.2);
  EXPECT_EQ(measured(config("tiny:ages", {"net.pixel_mean=median"})).net.pixel_mean, 0);
}

// The mean and deviation of 0, 1, 2 and 3.
TEST_F(MeasuredTest, ObservationsHaveTheMeanAndDeviationOfRandomPlay) {
  const auto env = measured(config("tiny:ages", {"env.normalise=true"})).env;
  EXPECT_NEAR(std::stod(env.observation_mean), 1.5, 1e-12);
  EXPECT_NEAR(std::stod(env.observation_deviation), std::sqrt(1.25), 1e-12);
  const auto made = env.factory(1)(0);
  Stream stream(1, 0);
  std::vector<std::byte> frame(sizeof(float));
  made->reset(stream, frame);
  float first = 0;
  std::memcpy(&first, frame.data(), sizeof(first));
  EXPECT_NEAR(first, -1.5 / std::sqrt(1.25), 1e-6);
}

// Seen failing when "auto" was taken for true, and when it was taken for false.
TEST_F(MeasuredTest, NumbersAreNormalisedWhereTheEnvironmentShowsThem) {
  const auto ages = measured(config("tiny:ages", {"env.normalise=auto"}));
  EXPECT_EQ(ages.toml(), measured(config("tiny:ages", {"env.normalise=true"})).toml());
  const auto grey = measured(config("tiny:grey", {"env.normalise=auto"}));
  EXPECT_EQ(grey.toml(), measured(config("tiny:grey", {})).toml());
}

// Without without_scale(), `tandem advise` played a slow environment for minutes, once for each
// system. Seen failing when without_scale() left "auto",
// and when it left the preset's "median".
TEST_F(MeasuredTest, AMeasurementOfSpeedDoesNotWaitForTheScale) {
  const int made = *made_;
  const auto plain = measured(without_scale(config("tiny:ages", {"env.normalise=auto"})));
  EXPECT_EQ(plain.env.normalise, "false");
  EXPECT_EQ(plain.net.pixel_mean, 0);
  EXPECT_EQ(*made_, made);
  const auto asked = without_scale(config("tiny:ages", {"env.normalise=true"}));
  EXPECT_EQ(asked.env.normalise, "true");
}

// Each preset lies over the system's preset of Atari, which measures. Seen failing without the
// rule: all presets with a paper's numbers subtracted a median.
TEST_F(MeasuredTest, PresetsOfAPapersNumbersMeasureNothing) {
  if (!has_plugin("atari")) GTEST_SKIP() << "Atari's presets need its plug-in";
  const auto mean_of = [](const std::string& preset) {
    const auto system = preset.substr(0, preset.find('/'));
    return load_config(system, preset_settings(published_presets(), preset)).net.pixel_mean;
  };
  EXPECT_EQ(mean_of("paac/atari"), NetConfig::kMeasuredMedian);
  for (const auto* preset :
       {"paac/paper_nips", "paac/reference_nature", "a3c/paper_lstm", "a3c/one_step_q",
        "ga3c/paper_nips", "hts/paper_ppo", "impala/torchbeast", "apex/atari", "paac/cartpole"}) {
    EXPECT_EQ(mean_of(preset), 0) << preset;
  }
}

TEST_F(MeasuredTest, TheSameSeedGivesTheSameBits) {
  const auto cartpole = [&](const std::string& seed) {
    return measured(config("cartpole", {"env.normalise=true", "run.seed=" + seed})).env;
  };
  const auto one = cartpole("3");
  EXPECT_EQ(cartpole("3").observation_mean, one.observation_mean);
  EXPECT_EQ(cartpole("3").observation_deviation, one.observation_deviation);
  EXPECT_NE(cartpole("4").observation_mean, one.observation_mean);
  const auto grey = [&](const std::string& seed) {
    return measured(config("catch", {"net.pixel_mean=auto", "run.seed=" + seed})).net.pixel_mean;
  };
  EXPECT_EQ(grey("3"), grey("3"));
}

TEST_F(MeasuredTest, WhatWasMeasuredLoadsBackAndIsMeasuredNoMore) {
  const auto asked = config("cartpole", {"env.normalise=true", "net.pixel_mean=auto"});
  EXPECT_THAT(asked.toml(), HasSubstr("pixel_mean = \"auto\""));
  EXPECT_EQ(reloaded(asked).toml(), asked.toml());
  const auto once = measured(asked);
  EXPECT_EQ(reloaded(once).toml(), once.toml());
  EXPECT_EQ(measured(reloaded(once)).toml(), once.toml());

  const auto tiny = measured(config("tiny:grey", {"net.pixel_mean=auto"}));
  const int made = *made_;
  EXPECT_EQ(measured(reloaded(tiny)).net.pixel_mean, tiny.net.pixel_mean);
  EXPECT_EQ(*made_, made);
}

TEST_F(MeasuredTest, AnAssemblyMeasuresWhatIsStillToBeMeasured) {
  const Assembly assembly(config("tiny:grey", {"net.pixel_mean=auto"}));
  EXPECT_DOUBLE_EQ(assembly.config().net.pixel_mean, 0.3);
}

TEST_F(MeasuredTest, WhoUsesANumberBeforeItIsMeasuredHasABug) {
  const auto asked = config("tiny:ages", {"env.normalise=true", "net.pixel_mean=auto"});
  EXPECT_THROW((void)asked.env.factory(1), std::logic_error);
  EXPECT_THROW((void)config("tiny:ages", {"env.normalise=auto"}).env.factory(1), std::logic_error);
  EXPECT_THROW((void)make_architecture(asked.net, asked.env.spec(), true), std::logic_error);
}

TEST_F(MeasuredTest, MistakesAreToldInWords) {
  EXPECT_THAT(error_of([&] { (void)measured(config("tiny:grey", {"env.normalise=true"})); }),
              HasSubstr("env.normalise: this environment shows pictures"));
  const auto error_with = [&](const std::vector<std::string>& words) {
    auto all = words;
    all.emplace_back("env.normalise=true");
    return error_of([&] { (void)measured(config("tiny:ages", all)).env.factory(1)(0); });
  };
  EXPECT_EQ(error_with({"env.observation_mean=1", "env.observation_deviation=2"}), "");
  EXPECT_THAT(error_with({"env.observation_mean=1"}),
              AllOf(HasSubstr("env.observation_mean has 1 numbers"), HasSubstr("deviation 0")));
  EXPECT_THAT(
      error_with({"env.observation_mean=1,2", "env.observation_deviation=2"}),
      HasSubstr("env.observation_mean needs numbers separated by spaces; \"1,2\" is not a number"));
  EXPECT_THAT(error_with({"env.observation_mean=1", "env.observation_deviation=0"}),
              HasSubstr("env.observation_deviation needs numbers above 0"));
}

// Such runs are of versions in which the MuJoCo plug-in had an env.normalise of its own.
TEST_F(MeasuredTest, ARunThatKeptNoNumbersIsRefused) {
  auto run = config("tiny:ages", {"env.normalise=true"});
  EXPECT_THAT(error_of([&] { require_measured(run); }), HasSubstr("did not keep them"));
  EXPECT_EQ(error_of([&] { require_measured(measured(run)); }), "");
  run = config("tiny:ages", {"env.normalise=auto"});
  EXPECT_THAT(error_of([&] { require_measured(run); }), HasSubstr("did not keep them"));
  run = config("tiny:grey", {"net.pixel_mean=auto"});
  EXPECT_THAT(error_of([&] { require_measured(run); }), HasSubstr("net.pixel_mean"));
}

}  // namespace
}  // namespace tandem
