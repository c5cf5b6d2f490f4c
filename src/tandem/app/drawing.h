// Pictures that Python scripts draw.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// Runs tools/NAME.py with these words, in the Python of set-up or of $TANDEM_PYTHON, and waits for
/// it. Its output appears on the terminal. Returns its exit code. Throws Error when it cannot be
/// started.
int run_drawing(const std::string& name, const std::vector<std::string>& words);

/// Draws sweep.png from the results so far in a sweep's folder. If it cannot, it only warns: the
/// numbers are safe without it.
void draw_sweep(const std::filesystem::path& folder);

/// Runs tools/NAME.py over an experiment's folder. If it fails, it only warns: the tables have the
/// figures.
void draw_experiment(const std::string& name, const std::filesystem::path& folder);

}  // namespace tandem
