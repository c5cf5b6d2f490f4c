// The games of the Atari plug-in, and its messages about others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tandem/env/family.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/error_of.h"
#include "tests/support/plugin_path.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// The games of A3C's table S3.
const std::vector<std::string> kPaperGames = {
    "Alien",        "Amidar",        "Assault",        "Asterix",
    "Asteroids",    "Atlantis",      "BankHeist",      "BattleZone",
    "BeamRider",    "Berzerk",       "Bowling",        "Boxing",
    "Breakout",     "Centipede",     "ChopperCommand", "CrazyClimber",
    "Defender",     "DemonAttack",   "DoubleDunk",     "Enduro",
    "FishingDerby", "Freeway",       "Frostbite",      "Gopher",
    "Gravitar",     "Hero",          "IceHockey",      "Jamesbond",
    "Kangaroo",     "Krull",         "KungFuMaster",   "MontezumaRevenge",
    "MsPacman",     "NameThisGame",  "Phoenix",        "Pitfall",
    "Pong",         "PrivateEye",    "Qbert",          "Riverraid",
    "RoadRunner",   "Robotank",      "Seaquest",       "Skiing",
    "Solaris",      "SpaceInvaders", "StarGunner",     "Surround",
    "Tennis",       "TimePilot",     "Tutankham",      "UpNDown",
    "Venture",      "VideoPinball",  "WizardOfWor",    "YarsRevenge",
    "Zaxxon"};

class Roms : public testing::Test {
 protected:
  void set(const std::string& key, const FieldValue& value) {
    for (const auto& field : family_->fields()) {
      if (field.key == key) set_field(field, value);
    }
  }

  // The complaint of make() about a game; empty if make() succeeds.
  std::string complaint(const std::string& game) {
    return error_of([&] { (void)family_->make(game, 1); });
  }

  // Copies the ROM of Pong to a folder of its own, sets rom_dir to this folder and returns the
  // copy.
  fs::path rom_in_own_folder() {
    auto rom = folder_.path() / "pong.bin";
    fs::copy_file(fs::path(TANDEM_ROM_FOLDER) / "pong.bin", rom);
    set("rom_dir", folder_.path().string());
    return rom;
  }

  std::unique_ptr<EnvFamily> family_ = find_family("atari:Pong");
  TemporaryFolder folder_;
};

TEST_F(Roms, AllGamesOfThePaperLoadAndStep) {
  ASSERT_EQ(kPaperGames.size(), 57U);
  const auto names = family_->names();
  for (const auto& game : kPaperGames) {
    EXPECT_THAT(names, Contains(game));
    const auto env = family_->make(game, 1);
    std::vector<std::byte> frame(env->spec().frame_bytes());
    Stream stream(1, 0);
    env->reset(stream, frame);
    env->step(std::array{Action{}}, stream, frame);
    EXPECT_NE(*std::ranges::max_element(frame), std::byte{0}) << game << " shows nothing";
  }
}

TEST_F(Roms, EveryNameLoads) {
  const auto names = family_->names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_THAT(names, Contains("TicTacToe3D"));
  EXPECT_THAT(names, Not(Contains("Combat")));
  for (const auto& name : names) EXPECT_EQ(complaint(name), "");
}

TEST_F(Roms, TakesFileNamesAsWell) {
  EXPECT_EQ(complaint("space_invaders"), "");
  EXPECT_EQ(complaint("pong"), "");
}

TEST_F(Roms, OffersTheNearestGame) {
  EXPECT_THAT(complaint("Pongg"), HasSubstr("Did you mean 'Pong'?"));
  EXPECT_THAT(complaint("SpaceInvader"), HasSubstr("Did you mean 'SpaceInvaders'?"));
  EXPECT_THAT(complaint("Xyzzyplugh"), HasSubstr("tandem envs"));
  EXPECT_THAT(complaint(""), HasSubstr("tandem envs"));
}

TEST_F(Roms, SaysThatAKnownGamesRomIsMissing) {
  rom_in_own_folder();
  EXPECT_THAT(complaint("Breakout"),
              AllOf(HasSubstr("no ROM of an Atari game 'Breakout' among the 1"),
                    HasSubstr("tools/build_ale.sh")));
}

TEST_F(Roms, SaysWhyTwoPlayersGamesAreMissing) {
  EXPECT_THAT(complaint("Combat"), HasSubstr("two players"));
}

TEST_F(Roms, SaysHowToGetMissingRoms) {
  set("rom_dir", (folder_.path() / "none").string());
  EXPECT_THAT(complaint("Pong"), AllOf(HasSubstr("none"), HasSubstr("tools/build_ale.sh")));
  EXPECT_TRUE(family_->names().empty());
  set("rom_dir", folder_.path().string());
  EXPECT_THAT(complaint("Pong"),
              AllOf(HasSubstr("no ROM of an Atari game 'Pong'"), HasSubstr("tools/build_ale.sh")));
}

TEST_F(Roms, TakesTheFolderOfTheEnvironmentVariable) {
  setenv("TANDEM_ROM_DIR", folder_.path().c_str(), 1);
  EXPECT_TRUE(family_->names().empty());
  unsetenv("TANDEM_ROM_DIR");
  EXPECT_FALSE(family_->names().empty());
}

TEST_F(Roms, ACopyInAnotherFolderPlays) {
  rom_in_own_folder();
  EXPECT_EQ(complaint("Pong"), "");
  EXPECT_EQ(family_->names(), std::vector<std::string>{"Pong"});
}

TEST_F(Roms, RefusesADamagedRom) {
  std::fstream rom(rom_in_own_folder(), std::ios::in | std::ios::out | std::ios::binary);
  rom.seekp(100);
  rom.put('x');
  rom.close();
  EXPECT_THAT(complaint("Pong"),
              AllOf(HasSubstr("damaged"), HasSubstr("pong.bin"), HasSubstr("tools/build_ale.sh")));
}

TEST_F(Roms, RefusesAShortAndAnEmptyRom) {
  const auto rom = rom_in_own_folder();
  fs::resize_file(rom, 1000);
  EXPECT_THAT(complaint("Pong"), HasSubstr("damaged"));
  fs::resize_file(rom, 0);
  EXPECT_THAT(complaint("Pong"), HasSubstr("empty"));
}

TEST_F(Roms, RefusesARomUnknownToAle) {
  rom_in_own_folder();
  std::ofstream(folder_.path() / "mygame.bin") << "not a cartridge";
  EXPECT_THAT(complaint("Mygame"), HasSubstr("does not know"));
}

TEST_F(Roms, RefusesModesThatTheGameLacks) {
  set("mode", std::int64_t{77});
  EXPECT_THAT(complaint("Pong"), AllOf(HasSubstr("mode = 77"), HasSubstr("0, 1")));
  set("mode", std::int64_t{1});
  EXPECT_EQ(complaint("Pong"), "");
  set("difficulty", std::int64_t{9});
  EXPECT_THAT(complaint("Pong"), HasSubstr("difficulty = 9"));
}

}  // namespace
}  // namespace tandem
