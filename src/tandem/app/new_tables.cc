#include "tandem/app/new_tables.h"

#include <fmt/format.h>

#include "tandem/base/error.h"
#include "tandem/io/files.h"

namespace tandem {

void make_folder_for(std::span<const char* const> tables, const std::filesystem::path& folder) {
  for (const auto* table : tables) {
    if (!std::filesystem::exists(folder / table)) continue;
    throw Error(
        fmt::format("{} holds the {} of an earlier measurement: choose another --out, or "
                    "remove that file",
                    folder.string(), table));
  }
  make_folder(folder);
}

}  // namespace tandem
