// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
#include "console.h"

#include "ale_console.h"

namespace tandem::atari {

std::unique_ptr<Console> make_console(const std::filesystem::path& rom,
                                      const ConsoleOptions& options) {
  return options.emulator == "reference" ? reference::make_console(rom, options)
                                         : fast::make_console(rom, options);
}

std::string action_name(int action) { return reference::action_name(action); }

void silence_ale() {
  reference::silence();
  fast::silence();
}

}  // namespace tandem::atari
