#include "tandem/io/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <tuple>

#include "tandem/base/error.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct Options {
  std::string system = "paac";
  std::int64_t envs = 32;
  std::int64_t seed = 1;
  double lr = 0.0224;
  bool sticky = false;
  std::string id = "atari:Pong";
  std::int64_t paac_seed = 2;

  FieldList fields() {
    return {{.key = "system", .target = &system, .meaning = "system"},
            {.key = "paac.envs",
             .target = &envs,
             .meaning = "n_e",
             .source = "PAAC",
             .least = 1,
             .most = 64},
            {.key = "paac.seed", .target = &paac_seed, .meaning = "a seed"},
            {.key = "run.seed", .target = &seed, .meaning = "a seed"},
            {.key = "run.lr", .target = &lr, .meaning = "rate"},
            {.key = "env.sticky", .target = &sticky, .meaning = "sticky"},
            {.key = "env.id", .target = &id, .meaning = "environment"}};
  }
};

class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    file = std::filesystem::path(testing::TempDir()) / (std::string(test->name()) + ".toml");
  }
  void TearDown() override { std::filesystem::remove(file); }

  void write(const std::string& text) const { std::ofstream(file) << text; }

  void load_file() {
    for (const auto& setting : read_toml(file)) apply_setting(setting, fields);
  }

  std::string error_of_file(const std::string& text) {
    write(text);
    return error_of([&] { load_file(); });
  }

  std::string error_of_set(const std::string& text) {
    return error_of([&] { apply_setting(parse_assignment(text), fields); });
  }

  Options options;
  FieldList fields = options.fields();
  std::filesystem::path file;
};

TEST_F(SettingsTest, FileSetsFieldsOfAllTypes) {
  write("system = \"other\"\n[paac]\nenvs = 16\n[run]\nlr = 1e-3\n[env]\nsticky = true\n");
  load_file();
  EXPECT_EQ(options.system, "other");
  EXPECT_EQ(options.envs, 16);
  EXPECT_EQ(options.lr, 1e-3);
  EXPECT_TRUE(options.sticky);
}

TEST_F(SettingsTest, ErrorsNameFileLineKeyAndNeed) {
  EXPECT_THAT(error_of_file("[paac]\n\nenvs = 65\n"),
              AllOf(StartsWith(file.string() + ":3: "),
                    EndsWith("paac.envs needs an integer from 1 to 64, not 65")));
  EXPECT_THAT(error_of_file("paac.envs = \"16\"\n"),
              EndsWith(":1: paac.envs needs an integer from 1 to 64, not \"16\""));
  EXPECT_THAT(error_of_file("[env]\nsticky = 1\n"),
              EndsWith(":2: env.sticky needs true or false, not 1"));
  EXPECT_THAT(error_of_file("paac.envs = [1, 2]\n"), HasSubstr(":1: paac.envs needs"));
}

TEST_F(SettingsTest, UnknownKeyOffersTheNearest) {
  EXPECT_THAT(error_of_file("system = \"x\"\n[paac]\nenv = 3\n"),
              HasSubstr(":3: there is no key paac.env; did you mean paac.envs?"));
  EXPECT_THAT(error_of_file("[pac]\nenvs = 3\n"), HasSubstr("did you mean paac.envs?"));
  EXPECT_THAT(error_of_file("envs = 3\n"), HasSubstr("did you mean paac.envs?"));
  EXPECT_THAT(error_of_set("stiky=true"), HasSubstr("did you mean env.sticky?"));
  EXPECT_THAT(error_of_set("zzzzzz=true"),
              AllOf(HasSubstr("there is no key zzzzzz"), Not(HasSubstr("did you mean"))));
}

TEST_F(SettingsTest, InvalidTomlNamesThePlace) {
  EXPECT_THAT(error_of_file("[paac]\nenvs = = 3\n"),
              AllOf(StartsWith(file.string() + ":2:"), HasSubstr("not valid TOML")));
  EXPECT_THAT(error_of_file("[run]\nseed = 1\nseed = 2\n"), HasSubstr("not valid TOML"));
}

TEST_F(SettingsTest, UnreadableFileIsNamed) {
  EXPECT_THROW(std::ignore = read_toml("missing.toml"), Error);
  EXPECT_THAT([] { std::ignore = read_toml(testing::TempDir()); },
              testing::ThrowsMessage<Error>(HasSubstr("cannot read the config file")));
}

TEST_F(SettingsTest, SetTakesFullAndUnambiguousShortKeys) {
  EXPECT_EQ(error_of_set("paac.envs=8"), "");
  EXPECT_EQ(options.envs, 8);
  EXPECT_EQ(error_of_set("envs=9"), "");
  EXPECT_EQ(options.envs, 9);
  EXPECT_EQ(error_of_set("id=a=b"), "");
  EXPECT_EQ(options.id, "a=b");
  EXPECT_EQ(error_of_set("system="), "");
  EXPECT_EQ(options.system, "");
}

TEST_F(SettingsTest, AmbiguousShortKeyListsTheFullOnes) {
  EXPECT_THAT(error_of_set("seed=3"),
              AllOf(HasSubstr("--set seed=3: "), HasSubstr("paac.seed, run.seed")));
  EXPECT_EQ(options.seed, 1);
}

TEST_F(SettingsTest, SetNeedsAnEqualsSign) {
  EXPECT_THAT(error_of_set("envs"), HasSubstr("key=value"));
  EXPECT_THAT(error_of_set("=3"), HasSubstr("key=value"));
}

TEST_F(SettingsTest, TomlLoadsBackToTheSameBits) {
  options.system = "a \"quoted\" \\ text with \t tab, \n line and \x01 control";
  options.seed = std::numeric_limits<std::int64_t>::max();
  options.sticky = true;
  for (const double lr : {0.1, 1.0 / 3, 5e-324, 1e300, -0.0, 40.0, 1e22}) {
    options.lr = lr;
    const auto wanted = options;
    write(to_toml(fields));
    options = Options{};
    load_file();
    EXPECT_EQ(options.system, wanted.system);
    EXPECT_EQ(options.seed, wanted.seed);
    EXPECT_EQ(options.sticky, wanted.sticky);
    EXPECT_EQ(options.lr, lr);
    EXPECT_EQ(std::signbit(options.lr), std::signbit(lr));
  }
}

TEST_F(SettingsTest, TomlCommentsSayMeaningRangeAndSource) {
  EXPECT_THAT(to_toml(fields), HasSubstr("[paac]\n# n_e [1 to 64] (PAAC)\nenvs = 32\n"));
}

}  // namespace
}  // namespace tandem
