#include "tandem/base/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tandem {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;

constexpr char kVariable[] = "TANDEM_PLACES_TEST";

class PlacesTest : public testing::Test {
 protected:
  ~PlacesTest() override { unsetenv(kVariable); }
};

TEST_F(PlacesTest, ThisCodeLiesInTheProgramsFolder) {
  EXPECT_EQ(own_folder(), fs::canonical(TANDEM_BINARY_DIR "/tests"));
}

TEST_F(PlacesTest, OwnFolderStaysWhenTheProcessGoesElsewhere) {
  const auto folder = own_folder();
  const auto before = fs::current_path();
  fs::current_path("/");
  EXPECT_EQ(own_folder(), folder);
  fs::current_path(before);
}

TEST_F(PlacesTest, LooksAsInABuildThenAsAnInstalledProgramThenAsAnInstalledLibrary) {
  const auto own = own_folder();
  EXPECT_THAT(places_of("backends", kVariable),
              ElementsAre(own / "backends", own.parent_path() / "lib/tandem/backends",
                          own / "tandem/backends"));
}

TEST_F(PlacesTest, TheVariableReplacesThem) {
  setenv(kVariable, "/a:relative::/b", 1);
  EXPECT_THAT(places_of("backends", kVariable), ElementsAre("/a", "relative", "/b"));
  setenv(kVariable, "", 1);
  EXPECT_EQ(places_of("backends", kVariable).size(), 3);
}

TEST_F(PlacesTest, JoinsAsTheVariableListsThem) {
  EXPECT_EQ(joined(std::vector<fs::path>{"/a", "b"}), "/a:b");
  EXPECT_EQ(joined({}), "");
}

}  // namespace
}  // namespace tandem
