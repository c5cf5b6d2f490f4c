#include "maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "lower.h"
#include "tandem/base/error.h"

namespace tandem::doom {
namespace {

/// The head of a WAD file, and an entry of its directory.
struct Head {
  std::array<char, 4> kind;  // IWAD or PWAD
  std::int32_t entries;
  std::int32_t directory;  // its place in the file
};
struct Entry {
  std::int32_t place;
  std::int32_t size;
  std::array<char, 8> name;  // filled up with zeros
};

bool matches(std::string_view name, std::string_view pattern) {
  return std::ranges::equal(name, pattern, [](char letter, char wanted) {
    return wanted == '#' ? letter >= '0' && letter <= '9' : letter == wanted;
  });
}

}  // namespace

std::vector<std::string> maps_in(const std::filesystem::path& wad) {
  std::ifstream file(wad, std::ios::binary);
  Head head{};
  file.read(reinterpret_cast<char*>(&head), sizeof(head));
  if (!file || std::string_view(&head.kind[1], 3) != "WAD") {
    throw Error(fmt::format("doom: {} is no WAD file", wad.string()));
  }
  file.seekg(head.directory);
  std::vector<std::string> maps;
  for (std::int32_t at = 0; at < head.entries; ++at) {
    Entry entry{};
    file.read(reinterpret_cast<char*>(&entry), sizeof(entry));
    if (!file) throw Error(fmt::format("doom: {} is damaged", wad.string()));
    const auto name = lower({entry.name.begin(), std::ranges::find(entry.name, '\0')});
    if (matches(name, "map##") || matches(name, "e#m#")) maps.push_back(name);
  }
  return maps;
}

}  // namespace tandem::doom
