// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "roms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <memory>

#include "ale/emucore/MD5.hxx"
#include "ale/games/Roms.hpp"
#include "tandem/base/error.h"
#include "tandem/base/nearest.h"

namespace tandem::atari {
namespace {

namespace fs = std::filesystem;

// ALE plays these games with two players only; Gymnasium leaves them out as well.
constexpr std::array<std::string_view, 4> kTwoPlayers = {"combat", "joust", "mazecraze",
                                                         "warlords"};

constexpr char kRemedy[] =
    "`tandem install atari --force`, or tools/build_ale.sh in a clone, brings the ROMs of ale-py, "
    "also where one is missing or damaged; env.rom_dir or $TANDEM_ROM_DIR name another folder of "
    "ROMs.";

// "tic_tac_toe_3d" becomes "TicTacToe3D": a letter after anything but a letter becomes a capital.
std::string camel_case(const std::string& rom) {
  std::string name;
  bool inside_word = false;
  for (const char c : rom) {
    const auto letter = static_cast<unsigned char>(c);
    if (c != '_') name += static_cast<char>(inside_word ? c : std::toupper(letter));
    inside_word = std::isalpha(letter) != 0;
  }
  return name;
}

void check_rom(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(stream)), {});
  if (!stream || bytes.empty()) {
    throw Error(fmt::format("the ROM {} cannot be read or is empty. {}", file.string(), kRemedy));
  }
  const auto md5 = ale::stella::MD5(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                    static_cast<std::uint32_t>(bytes.size()));
  // ALE would end the process for an unknown ROM, and play a damaged one.
  const std::unique_ptr<ale::RomSettings> game(ale::buildRomRLWrapper(file, md5));
  if (game == nullptr) {
    throw Error(fmt::format("ALE does not know the game of {}. {}", file.string(), kRemedy));
  }
  if (game->md5() != md5) {
    throw Error(fmt::format(
        "the ROM {} is damaged or another version: its MD5 is {} where ALE knows {}. {}",
        file.string(), md5, game->md5(), kRemedy));
  }
}

}  // namespace

std::string folded(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

std::vector<std::string> Roms::names() const {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder_, missing)) {
    const auto stem = entry.path().stem().string();
    if (entry.path().extension() != ".bin") continue;
    if (std::ranges::count(kTwoPlayers, folded(stem)) == 0) names.push_back(camel_case(stem));
  }
  std::ranges::sort(names);
  return names;
}

fs::path Roms::find(const std::string& game) const {
  std::error_code missing;
  if (!fs::is_directory(folder_, missing)) {
    throw Error(fmt::format("there is no folder of Atari ROMs {}. {}", folder_.string(), kRemedy));
  }
  const auto wanted = folded(game);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != ".bin" || folded(entry.path().stem().string()) != wanted)
      continue;
    if (std::ranges::count(kTwoPlayers, wanted) > 0) {
      throw Error(fmt::format("ALE plays {} with two players only", game));
    }
    check_rom(entry.path());
    return entry.path();
  }
  const auto known = names();
  const auto near = nearest(game, known);
  const auto guess = near.empty() ? "" : fmt::format(" Did you mean '{}'?", near);
  throw Error(fmt::format(
      "there is no ROM of an Atari game '{}' among the {} in {}.{} `tandem envs` lists them. {}",
      game, known.size(), folder_.string(), guess, kRemedy));
}

}  // namespace tandem::atari
