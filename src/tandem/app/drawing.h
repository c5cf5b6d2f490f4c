// Pictures that Python scripts draw.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// The script tools/NAME.py: in the source tree beside the build folder, in the installation, or in
/// a wheel. Throws Error if it is in none of them.
[[nodiscard]] std::filesystem::path find_script(const std::string& name);

/// Runs tools/NAME.py with these arguments and waits for it. The Python is that of $TANDEM_PYTHON
/// or of `make setup`. The script's output appears on the terminal. Returns its exit code. Throws
/// Error when it cannot be started.
int run_drawing(const std::string& name, const std::vector<std::string>& words);

/// Runs tools/compare.py, which compares the runs in these folders and writes pictures and tables
/// to `out`. `options` are more words for it. A failure only gives a warning with `rest`, which
/// says where the results are.
void draw_comparison(const std::string& out, const std::vector<std::string>& options,
                     const std::vector<std::string>& runs, const std::string& rest);

/// Draws sweep.png from the results so far in a sweep's folder. A failure only gives a warning,
/// because sweep.csv has the results.
void draw_sweep(const std::filesystem::path& folder);

/// Runs tools/NAME.py on an experiment's folder. A failure only gives a warning, because the tables
/// have the results.
void draw_experiment(const std::string& name, const std::filesystem::path& folder);

}  // namespace tandem
