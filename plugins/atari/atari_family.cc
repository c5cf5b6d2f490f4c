// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// The family "atari", which tandem_atari.so exports.
#include <limits>

#include "atari_env.h"
#include "console.h"
#include "game_facts.h"
#include "roms.h"
#include "tandem/base/places.h"
#include "tandem/env/family.h"

namespace tandem::atari {
namespace {

std::filesystem::path rom_folder(const std::string& option) {
  return data_folder(option, "TANDEM_ROM_DIR", "roms", TANDEM_DEFAULT_ROM_DIR);
}

class AtariFamily : public EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override {
    return Roms(rom_folder(rom_dir_)).names();
  }

  [[nodiscard]] FieldList fields() override;

  [[nodiscard]] std::unique_ptr<Env> make(const std::string& name, std::uint64_t seed) override {
    const auto rom = Roms(rom_folder(rom_dir_)).find(name);
    const auto facts = facts_of(rom.stem().string());
    auto options = options_;
    options.fire_reset = decide(fire_reset_, facts.needs_fire);
    options.life_loss_terminal = decide(life_loss_terminal_, facts.lives > 0);
    options.lives_follow_fire = life_loss_terminal_ == "fire";
    return std::make_unique<AtariEnv>(rom, options, seed);
  }

 private:
  static bool decide(const std::string& word, bool fact) {
    return word == "auto" ? fact : word == "true";
  }

  AtariOptions options_;  // all options except the two that may follow the game
  std::string fire_reset_ = "false";
  std::string life_loss_terminal_ = "false";
  std::string rom_dir_;
};

FieldList AtariFamily::fields() {
  constexpr double kLargestInt = std::numeric_limits<std::int32_t>::max();
  return {
      {.key = "emulator",
       .target = &options_.emulator,
       .meaning = "fast: ALE with tandem's patch; reference: ALE as it is; the games are the same",
       .choices = {"fast", "reference"}},
      {.key = "frame_skip",
       .target = &options_.frame_skip,
       .meaning = "emulated frames that one action is held; the last two are maxed",
       .source = "A3C, section 5.1; PAAC, section 5.1",
       .least = 1,
       .most = 1000},
      {.key = "full_action_set",
       .target = &options_.full_action_set,
       .meaning = "all 18 actions instead of those the game uses",
       .source = "not in the papers; Machado et al. 2018 advise it"},
      {.key = "sticky",
       .target = &options_.sticky,
       .meaning = "probability that a frame repeats the action before; 0.25 is usual when not 0",
       .source = "Machado et al. 2018, section 5.2",
       .least = 0,
       .most = 1},
      {.key = "noop_max",
       .target = &options_.noop_max,
       .meaning = "a game starts with 1 to this many no-op frames; 0: none",
       .source = "PAAC, section 5.1",
       .least = 0,
       .most = 10000},
      {.key = "fire_reset",
       .target = &fire_reset_,
       .meaning = "press FIRE once at the start of an episode in games that use it; auto: in those "
                  "in which nothing happens before",
       .source = "not in the papers; auto: measured in the emulator, game_facts.h",
       .choices = {"true", "false", "auto"}},
      {.key = "life_loss_terminal",
       .target = &life_loss_terminal_,
       .meaning = "a lost life ends the training episode, not the game; auto: in games with lives; "
                  "fire: where FIRE begins episodes, as evaluations need it",
       .source = "Mnih et al. 2015, Methods; not in PAAC; auto: game_facts.h",
       .choices = {"true", "false", "auto", "fire"}},
      {.key = "max_frames",
       .target = &options_.max_frames,
       .meaning = "emulated frames after which a game is cut off; 0: never",
       .source = "Machado et al. 2018: 30 minutes of play",
       .least = 0,
       .most = kLargestInt},
      {.key = "stack",
       .target = &options_.stack,
       .meaning = "newest frames in an observation",
       .source = "Mnih et al. 2015, Methods; not in PAAC",
       .least = 1,
       .most = 64},
      {.key = "mode",
       .target = &options_.mode,
       .meaning = "the game's mode; -1: its default",
       .least = -1,
       .most = kLargestInt},
      {.key = "difficulty",
       .target = &options_.difficulty,
       .meaning = "the game's difficulty; -1: its default",
       .least = -1,
       .most = kLargestInt},
      {.key = "rom_dir",
       .target = &rom_dir_,
       .meaning = "folder of ROMs; empty: $TANDEM_ROM_DIR or the one built with"},
  };
}

std::unique_ptr<EnvFamily> create() {
  silence_ale();
  return std::make_unique<AtariFamily>();
}

}  // namespace
}  // namespace tandem::atari

extern "C" [[gnu::visibility("default")]] const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {.abi = tandem::kPluginAbi,
                                               .name = "atari",
                                               .licence = "GPL-2.0-only",
                                               .create = tandem::atari::create};
  return &kInfo;
}
