#include "tandem/trainer/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tandem/base/error.h"
#include "tandem/systems/fit.h"
#include "tandem/systems/paac/paac_system.h"
#include "tandem/trainer/assembly.h"
#include "tests/support/config_values.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

const AlgorithmEntry& algorithm(const Catalogue& catalogue, const std::string& name) {
  for (const auto& one : catalogue.algorithms) {
    if (one->info().name == name) return *one;
  }
  throw std::logic_error("no algorithm " + name);
}

std::string assembly_error(const std::string& system, const std::vector<std::string>& words) {
  return error_of([&] { const Assembly assembly(make_config(system, words)); });
}

// Each name stands once, and a system's keys are in its own table or in [replay]. Seen failing with
// PAAC twice.
TEST(Catalogue, NamesAreDistinct) {
  const auto catalogue = published();
  std::set<std::string> names;
  for (const auto& system : catalogue->systems) {
    EXPECT_TRUE(names.insert(system->info().name).second) << system->info().name;
    EXPECT_FALSE(system->info().idea.empty());
    EXPECT_FALSE(system->info().paper.empty());
    EXPECT_FALSE(system->info().repeats.empty());
    for (const auto& field : system->clone()->fields()) {
      const bool own = field.key.starts_with(system->info().name + ".");
      EXPECT_TRUE(own || field.key.starts_with("replay.")) << field.key;
    }
  }
  for (const auto& one : catalogue->algorithms) EXPECT_TRUE(names.insert(one->info().name).second);
}

// The catalogue knows the systems that fit each algorithm. Seen failing when GA3C accepted PPO.
TEST(Catalogue, KnowsWhatFitsWhat) {
  const auto catalogue = published();
  const auto systems = [&](const std::string& name) {
    return catalogue->systems_for(algorithm(*catalogue, name));
  };
  EXPECT_THAT(systems("a2c"), ElementsAre("paac", "a3c", "ga3c", "hts", "impala"));
  EXPECT_THAT(systems("ppo"), ElementsAre("paac", "hts"));
  EXPECT_THAT(systems("n_step_q"), ElementsAre("paac", "a3c", "ga3c", "hts"));
  EXPECT_THAT(systems("dqn"), ElementsAre("apex"));
  EXPECT_THAT(systems("dpg"), ElementsAre("apex"));
}

// An actor-critic has no theta-. Seen failing without A3cSystem's target_keys.
TEST(Catalogue, RefusesKeysOfTargetNetworksWhereThereAreNone) {
  for (const std::string key : {"a3c.own_targets", "a3c.act_by_target"}) {
    EXPECT_THAT(assembly_error("a3c", {"env.id=cartpole", "net.arch=mlp", key + "=true"}),
                AllOf(HasSubstr(key + " is about target networks"),
                      HasSubstr("Algorithms for a3c: one_step_q, one_step_sarsa, n_step_q")));
    EXPECT_EQ(
        assembly_error("a3c", {"env.id=cartpole", "net.arch=mlp", "algo=n_step_q", key + "=true"}),
        "");
  }
}

TEST(Catalogue, RefusesWithWhatWouldFit) {
  EXPECT_THAT(
      assembly_error("ga3c", {"env.id=cartpole", "net.arch=mlp", "algo=ppo"}),
      AllOf(HasSubstr("ga3c cannot train with algo = ppo"), HasSubstr("Systems for ppo: paac, hts"),
            HasSubstr("Algorithms for ga3c: a2c, one_step_q, one_step_sarsa, n_step_q")));
  EXPECT_THAT(assembly_error("paac", {"env.id=cartpole", "net.arch=mlp", "algo=dqn"}),
              AllOf(HasSubstr("learns from a replay"), HasSubstr("Systems for dqn: apex")));
  EXPECT_THAT(assembly_error("apex", {"env.id=cartpole", "net.arch=mlp", "algo=a2c"}),
              HasSubstr("learns from rollouts"));
  EXPECT_THAT(assembly_error("apex", {"env.id=cartpole", "net.arch=mlp", "net.lstm=8"}),
              AllOf(HasSubstr("algo = dqn"), HasSubstr("net.lstm = 0"), HasSubstr("(none)")));
  EXPECT_THAT(assembly_error("impala", {"env.id=cartpole", "net.arch=mlp", "algo=n_step_q"}),
              HasSubstr("Systems for n_step_q: paac, a3c, ga3c, hts"));
  EXPECT_THAT(assembly_error("a3c", {"env.id=pendulum", "net.arch=mlp", "algo=n_step_q"}),
              AllOf(HasSubstr("discrete"), EndsWith("algorithms a2c")));
}

/// A program's own system, whose training does nothing.
class OwnSystem final : public System {
 public:
  [[nodiscard]] const SystemInfo& info() const override {
    static const SystemInfo system_info{
        .name = "own", .idea = "x", .paper = "y", .repeats = "always"};
    return system_info;
  }
  [[nodiscard]] std::unique_ptr<System> clone() const override {
    return std::make_unique<OwnSystem>(*this);
  }
  FieldList fields() override {
    const Field field{.key = "own.number", .target = &number, .meaning = "a number", .least = 0};
    FieldList all(twice ? 2 : 1, field);
    return all;
  }
  [[nodiscard]] Requirements requirements() const override { return {}; }
  [[nodiscard]] bool repeatable() const override { return true; }
  [[nodiscard]] std::int64_t envs() const override { return 1; }
  [[nodiscard]] Batching batching() const override { return {}; }
  [[nodiscard]] ThreadPattern thread_pattern(int /*threads*/) const override { return {}; }
  [[nodiscard]] std::optional<double> lag_updates() const override { return 0; }
  [[nodiscard]] std::string threads_key() const override { return "run.threads"; }
  [[nodiscard]] std::vector<std::vector<std::string>> variants(int /*cores*/) const override {
    return {{}};
  }
  [[nodiscard]] std::vector<std::vector<std::string>> sleeping_variants(
      std::int64_t /*envs*/) const override {
    return {{}};
  }
  void set_update(const UpdateShape& /*shape*/) override {}
  void prepare_to_measure() override {}
  [[nodiscard]] MeasuredCosts measure_costs(const TrainingContext& /*context*/,
                                            const nlohmann::ordered_json& /*means*/, int /*cores*/,
                                            double /*seconds*/) const override {
    return {};
  }
  void train(TrainingContext& /*context*/) const override {}

  std::int64_t number = 3;
  bool twice = false;  // its key is there twice
};

// Seen failing when the config looked its system up in the published catalogue.
TEST(Catalogue, AProgramBringsASystemOfItsOwn) {
  auto own = *published();
  own.systems.push_back(std::make_shared<OwnSystem>());
  const auto catalogue = std::make_shared<const Catalogue>(own);
  const auto config = make_config("own", {"env.id=cartpole", "own.number=5"}, catalogue);
  EXPECT_EQ(value_of(config, "own.number"), 5);
  const auto copy = config;  // NOLINT(performance-unnecessary-copy-initialization): it is tested
  dynamic_cast<OwnSystem&>(*config.system).number = 6;
  EXPECT_EQ(value_of(copy, "own.number"), 5);
  EXPECT_THROW((void)make_config("own", {"env.id=cartpole", "paac.t_max=5"}, catalogue), Error);
  EXPECT_THROW((void)make_config("own", {"env.id=cartpole"}), Error);
}

// The first of two was taken without a word.
TEST(Catalogue, RefusesTwoOfOneName) {
  Catalogue own = *published();
  own.systems.push_back(own.systems.front());
  const auto complaint = [](const Catalogue& catalogue) {
    return error_of([&] {
      (void)make_config("paac", {"env.id=cartpole"}, std::make_shared<const Catalogue>(catalogue));
    });
  };
  EXPECT_THAT(complaint(own), HasSubstr("two systems of the name paac"));
  own = *published();
  own.algorithms.push_back(own.algorithms.front());
  EXPECT_THAT(complaint(own), HasSubstr("two algorithms of the name a2c"));
}

// Such a run trained to its end, and then nobody could read its config.
TEST(Catalogue, RefusesKeysThatCannotBeReadBack) {
  auto own = *published();
  auto system = std::make_shared<OwnSystem>();
  system->twice = true;
  own.systems.push_back(system);
  const auto config = make_config("own", {"env.id=cartpole", "net.arch=mlp"},
                                  std::make_shared<const Catalogue>(own));
  EXPECT_THAT(error_of([&] { const Assembly assembly(config); }),
              AllOf(HasSubstr("could not be read"), HasSubstr("number")));
}

}  // namespace
}  // namespace tandem
