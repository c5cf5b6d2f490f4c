// The folder of an experiment that measures in one go.
#pragma once

#include <filesystem>
#include <span>

namespace tandem {

/// Makes a folder for these tables. Throws Error if it holds one of them already, because the first
/// new measurement would replace the whole earlier one.
void make_folder_for(std::span<const char* const> tables, const std::filesystem::path& folder);

}  // namespace tandem
