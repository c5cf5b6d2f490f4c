#include "tandem/env/spec_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tandem/env/vec_env.h"
#include "tests/env/scripted_env.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::HasSubstr;

// Each line forgets one thing, as a plug-in's author may.
TEST(SpecCheck, NamesTheFieldThatIsWrong) {
  const std::vector<std::pair<const char*, std::function<void(EnvSpec&)>>> faults = {
      {"frame_shape", [](EnvSpec& spec) { spec.frame_shape.clear(); }},
      {"frame_shape",
       [](EnvSpec& spec) {
         spec.frame_shape = {4, 0};
       }},
      {"stack", [](EnvSpec& spec) { spec.stack = 0; }},
      {"agents", [](EnvSpec& spec) { spec.agents = 0; }},
      {"frames_per_step", [](EnvSpec& spec) { spec.frames_per_step = 0; }},
      {"num_actions", [](EnvSpec& spec) { spec.num_actions = 0; }},
      {"action_low",  // seen failing: actions were discrete and continuous
       [](EnvSpec& spec) { spec.action_low = {-1}, spec.action_high = {1}; }},
      {"action_high", [](EnvSpec& spec) { spec.num_actions = 0, spec.action_low = {-1}; }},
      {"action_low",
       [](EnvSpec& spec) { spec.num_actions = 0, spec.action_low = {1}, spec.action_high = {-1}; }},
      {"first_action", [](EnvSpec& spec) { spec.first_action = std::int64_t{1} << 31; }},
      {"first_action", [](EnvSpec& spec) { spec.first_action = (std::int64_t{1} << 31) - 2; }},
      {"first_action", [](EnvSpec& spec) { spec.first_action = -(std::int64_t{1} << 31) - 1; }},
      {"action_names", [](EnvSpec& spec) { spec.action_names = {"left"}; }},
  };
  const EnvSpec good{.frame_shape = {4}, .num_actions = 3};
  EXPECT_NO_THROW(require_sane(good));
  for (const std::int64_t first : {-(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 3}) {
    auto spec = good;
    spec.first_action = first;
    EXPECT_NO_THROW(require_sane(spec));
  }
  for (const auto& [field, spoil] : faults) {
    auto spec = good;
    spoil(spec);
    EXPECT_THAT(error_of([&] { require_sane(spec); }), HasSubstr(field));
  }
}

/// Two agents, of which a step rewards but one.
class Forgetful : public ScriptedEnv {
 public:
  Forgetful(Script& script, int index) : ScriptedEnv(script, index), spec_(ScriptedEnv::spec()) {
    spec_.agents = 2;
  }
  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }
  StepResult step(std::span<const Action>, Stream&, std::span<std::byte>) override {
    return {.rewards = rewards_};
  }

 private:
  EnvSpec spec_;
  std::vector<float> rewards_ = {1};
};

// Seen failing without the check.
TEST(SpecCheck, AStepMustRewardEachAgent) {
  Script script;
  VecEnv envs([&](int index) { return std::make_unique<Forgetful>(script, index); }, {});
  Observations seen(2, 3);
  envs.reset(seen.bytes());
  EXPECT_THAT(error_of([&] { envs.step(std::vector<Action>(2), seen.bytes()); }),
              HasSubstr("a step has 1 rewards for 2 agents"));
}

/// Its actions have other numbers in each environment.
class Shifted : public ScriptedEnv {
 public:
  Shifted(Script& script, int index) : ScriptedEnv(script, index), spec_(ScriptedEnv::spec()) {
    spec_.first_action = index;
  }
  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

 private:
  EnvSpec spec_;
};

TEST(SpecCheck, EnvironmentsMustNumberTheirActionsAlike) {
  Script script;
  EXPECT_THAT(error_of([&] {
                VecEnv([&](int index) { return std::make_unique<Shifted>(script, index); },
                       {.count = 2});
              }),
              HasSubstr("environment 1: its observations or actions differ"));
}

TEST(SpecCheck, AFamilyMustMakeAnEnvironment) {
  EXPECT_THAT(error_of([] { VecEnv([](int) { return std::unique_ptr<Env>(); }, {}); }),
              HasSubstr("environment 0: its family made none"));
}

}  // namespace
}  // namespace tandem
