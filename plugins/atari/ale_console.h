// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// A console in one of two builds of ALE. ale_console.cc and ale_state.cc are compiled once for
// each, with TANDEM_EMULATOR as the namespace of their definitions.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "console.h"

namespace tandem::atari {

/// The original ALE.
namespace reference {
std::unique_ptr<Console> make_console(const std::filesystem::path& rom,
                                      const ConsoleOptions& options);
std::string action_name(int action);
void silence();
}  // namespace reference

/// ALE with the changes of patches/: the same games, RAM, rewards and screens, faster.
namespace fast {
std::unique_ptr<Console> make_console(const std::filesystem::path& rom,
                                      const ConsoleOptions& options);
std::string action_name(int action);
void silence();
}  // namespace fast

}  // namespace tandem::atari
