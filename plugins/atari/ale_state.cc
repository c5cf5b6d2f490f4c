// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "ale_state.h"

#include <cstring>
#include <span>
#include <string>

#include "ale/ale_interface.hpp"
#include "ale/emucore/Console.hxx"
#include "ale/emucore/TIA.hxx"
#include "screen.h"
#include "tandem/base/error.h"

namespace tandem::atari::TANDEM_EMULATOR {
namespace {

using ale::StellaEnvironment;
using ale::stella::TIA;

// Private members of ALE are reached through explicit instantiation, which may name them
// ([temp.spec.general]/6 of the C++ standard): reach(FramePointer{}) is &TIA::myFramePointer.
template <class Name, auto kMember>
struct Open {
  friend constexpr auto reach(Name) { return kMember; }
};

// Members of the graphics chip. Each mask points into the table of its object, at an offset that
// follows from the object's position and size.
struct UnfinishedFrame {
  friend constexpr auto reach(UnfinishedFrame);
};
struct GreyedFrame {
  friend constexpr auto reach(GreyedFrame);
};
struct FramePointer {
  friend constexpr auto reach(FramePointer);
};
struct Ball {
  friend constexpr auto reach(Ball);
};
struct Missile0 {
  friend constexpr auto reach(Missile0);
};
struct Missile1 {
  friend constexpr auto reach(Missile1);
};
struct Player0 {
  friend constexpr auto reach(Player0);
};
struct Player1 {
  friend constexpr auto reach(Player1);
};
struct Playfield {
  friend constexpr auto reach(Playfield);
};
struct BallTable {
  friend constexpr auto reach(BallTable);
};
struct MissileTable {
  friend constexpr auto reach(MissileTable);
};
struct PlayerTable {
  friend constexpr auto reach(PlayerTable);
};
struct PlayfieldTable {
  friend constexpr auto reach(PlayfieldTable);
};
struct EmptyTable {  // for objects that are switched off
  friend constexpr auto reach(EmptyTable);
};
template struct Open<UnfinishedFrame, &TIA::myPartialFrameFlag>;
template struct Open<GreyedFrame, &TIA::myFrameGreyed>;
template struct Open<FramePointer, &TIA::myFramePointer>;
template struct Open<Ball, &TIA::myCurrentBLMask>;
template struct Open<Missile0, &TIA::myCurrentM0Mask>;
template struct Open<Missile1, &TIA::myCurrentM1Mask>;
template struct Open<Player0, &TIA::myCurrentP0Mask>;
template struct Open<Player1, &TIA::myCurrentP1Mask>;
template struct Open<Playfield, &TIA::myCurrentPFMask>;
template struct Open<BallTable, &TIA::ourBallMaskTable>;
template struct Open<MissileTable, &TIA::ourMissleMaskTable>;
template struct Open<PlayerTable, &TIA::ourPlayerMaskTable>;
template struct Open<PlayfieldTable, &TIA::ourPlayfieldTable>;
template struct Open<EmptyTable, &TIA::ourDisabledMaskTable>;

// The action that a sticky frame repeats.
struct LastAction {
  friend constexpr auto reach(LastAction);
};
struct LastStrength {  // of a paddle
  friend constexpr auto reach(LastStrength);
};
template struct Open<LastAction, &StellaEnvironment::m_player_a_action>;
template struct Open<LastStrength, &StellaEnvironment::m_paddle_a_strength>;

constexpr std::int64_t kEmpty = -1;

// Calls visit(mask, table, greatest offset in it) for each mask of the chip.
template <class Visit>
void for_each_mask(TIA& chip, Visit visit) {
  const auto go = [&](auto& mask, auto* table) {
    const auto* entries = reinterpret_cast<std::remove_reference_t<decltype(mask)>>(table);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): *table is an array of elements like *mask
    const auto all = static_cast<std::int64_t>(sizeof(*table) / sizeof(*mask));
    // 160 entries from a mask on count, one for each pixel of a line. Five rows are those of the
    // fast chip, whose last one is spare.
    constexpr auto kRows = std::extent_v<std::remove_pointer_t<decltype(table)>>;
    const auto filled = kRows == 5 ? all / 5 * 4 : all;
    visit(mask, entries, filled - kScreenWidth);
  };
  go(chip.*reach(Ball{}), reach(BallTable{}));
  go(chip.*reach(Missile0{}), reach(MissileTable{}));
  go(chip.*reach(Missile1{}), reach(MissileTable{}));
  go(chip.*reach(Player0{}), reach(PlayerTable{}));
  go(chip.*reach(Player1{}), reach(PlayerTable{}));
  go(chip.*reach(Playfield{}), reach(PlayfieldTable{}));
}

bool is_empty(const void* mask) { return mask == reach(EmptyTable{}); }

[[noreturn]] void refuse() {
  throw Error(
      "the saved state of the Atari console is damaged or of another game, or, in ChopperCommand, "
      "Hangman, VideoCheckers and VideoCube, of an earlier build of ALE");
}

std::int64_t checked(std::int64_t offset, std::int64_t limit) {
  if (offset < 0 || offset > limit) refuse();
  return offset;
}

TIA& graphics_chip(ale::ALEInterface& ale) {
  return dynamic_cast<TIA&>(ale.theOSystem->console().mediaSource());
}

/// Tells the patched chip, which tracks the missing rows of its pictures, that none is missing.
template <class Chip>
void complete_pictures(Chip& chip) {
  if constexpr (requires { chip.completePictures(); }) chip.completePictures();
}

void load_console(ale::ALEInterface& ale, const std::string& state) {
  try {
    ale.restoreState(ale::ALEState(state));
  } catch (const char*) {  // ALE's deserializer throws these
    refuse();
  }
}

}  // namespace

void save_ale(ale::ALEInterface& ale, StateWriter& writer) {
  writer.put_string(ale.cloneState(/*include_rng=*/true).serialize());
  writer.put((*ale.environment).*reach(LastAction{}));
  writer.put((*ale.environment).*reach(LastStrength{}));

  auto& chip = graphics_chip(ale);
  const auto size = ale.getScreen().arraySize();
  for (const auto* picture : {chip.currentFrameBuffer(), chip.previousFrameBuffer()}) {
    writer.put_bytes(std::as_bytes(std::span(picture, size)));
  }
  writer.put(chip.*reach(UnfinishedFrame{}));
  writer.put(chip.*reach(GreyedFrame{}));
  writer.put(std::int64_t{chip.*reach(FramePointer{}) - chip.currentFrameBuffer()});
  for_each_mask(chip, [&](auto* mask, auto* table, std::int64_t) {
    writer.put(is_empty(mask) ? kEmpty : std::int64_t{mask - table});
  });
}

void load_ale(ale::ALEInterface& ale, StateReader& reader) {
  load_console(ale, reader.get_string());
  (*ale.environment).*reach(LastAction{}) = reader.get<ale::Action>();
  (*ale.environment).*reach(LastStrength{}) = reader.get<float>();

  auto& chip = graphics_chip(ale);
  const auto size = ale.getScreen().arraySize();
  for (auto* picture : {chip.currentFrameBuffer(), chip.previousFrameBuffer()}) {
    const auto pixels = reader.get_bytes();
    if (pixels.size() != size) refuse();
    std::memcpy(picture, pixels.data(), pixels.size());
  }
  complete_pictures(chip);
  std::memcpy(ale.getScreen().getArray(), chip.currentFrameBuffer(), size);
  chip.*reach(UnfinishedFrame{}) = reader.get<bool>();
  chip.*reach(GreyedFrame{}) = reader.get<bool>();
  chip.*reach(FramePointer{}) =
      chip.currentFrameBuffer() +
      checked(reader.get<std::int64_t>(), static_cast<std::int64_t>(size));
  for_each_mask(chip, [&](auto*& mask, auto* table, std::int64_t greatest) {
    const auto offset = reader.get<std::int64_t>();
    if (offset != kEmpty) mask = table + checked(offset, greatest);
    // Only masks of bytes can be empty; the playfield's mask has another type.
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(mask)>, const std::uint8_t*>) {
      if (offset == kEmpty) mask = *reach(EmptyTable{});
    }
  });
}

}  // namespace tandem::atari::TANDEM_EMULATOR
