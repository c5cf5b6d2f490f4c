// Pictures, drawn by Python.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// Runs tools/NAME.py with these words, in the Python of set-up or of $TANDEM_PYTHON, and waits for
/// it; what it prints is seen. Returns its exit code. Throws Error when it cannot be started.
int run_drawing(const std::string& name, const std::vector<std::string>& words);

/// Draws sweep.png of a sweep's folder as far as the sweep has come, or warns that it cannot: the
/// numbers are safe without it.
void draw_sweep(const std::filesystem::path& folder);

/// Runs tools/NAME.py over an experiment's folder, or warns that there is no picture: the figures
/// are in its tables.
void draw_experiment(const std::string& name, const std::filesystem::path& folder);

}  // namespace tandem
