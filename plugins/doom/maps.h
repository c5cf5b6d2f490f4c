// The maps in Doom's data files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem::doom {

/// The names of the maps in a WAD file, in its order and in lower case: "map01" in files for Doom
/// II, "e1m1" in files for Doom. Throws Error when it is no such file.
[[nodiscard]] std::vector<std::string> maps_in(const std::filesystem::path& wad);

}  // namespace tandem::doom
