#include "tandem/app/python_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tandem/base/error.h"
#include "tandem/base/places.h"
#include "tandem/base/shell_word.h"
#include "tandem/env/gym/gym_options.h"

namespace tandem {

namespace fs = std::filesystem;

fs::path find_python(const std::string& purpose, const std::string& package) {
  if (in_wheel() || is_set("TANDEM_PYTHON")) return GymOptions().interpreter();
  if (auto file = setup_python(); !file.empty()) return file;
  throw Error(
      fmt::format("cannot find the Python that {} (.venv): run `make setup`, or name a Python that "
                  "has {} with TANDEM_PYTHON=/path/to/python",
                  purpose, package));
}

fs::path find_python_code(std::string_view name) {
  for (const auto* place : {"../python", "../share/tandem", ".."}) {
    auto folder = (own_folder() / place / name).lexically_normal();
    if (fs::exists(folder / "__main__.py")) return folder;
  }
  throw Error(
      fmt::format("cannot find the folder {}, which is a part of tandem: it belongs into {}", name,
                  (own_folder() / "../python").lexically_normal().string()));
}

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

void become_python(std::vector<std::string> words) {
  const auto arguments = argument_vector(words);
  execvp(arguments[0], arguments.data());
  throw Error(fmt::format("cannot start the Python {}: {}; $TANDEM_PYTHON names another one",
                          words.front(), std::strerror(errno)));
}

}  // namespace tandem
