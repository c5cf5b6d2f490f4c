// The Python code of workers, which is a part of the library.
#pragma once

#include <string>
#include <vector>

namespace tandem {

/// A file of the folder tandem_worker. Value type.
struct PythonSource {
  std::string name;  // of the module: "spaces"
  std::string text;
};

/// All files, in the order in which they import each other, boot.py first. The build makes this
/// function.
std::vector<PythonSource> python_sources();

}  // namespace tandem
