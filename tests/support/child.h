// Runs part of a test in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <functional>
#include <string>

namespace tandem {

/// Runs `body` in a child process, for tests that set limits, mounts or signals. Returns its
/// result, or the message of its exception.
inline std::string in_child(const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    std::string said;
    try {
      said = body();
    } catch (const std::exception& error) {
      said = error.what();
    }
    const auto written = write(ends[1], said.data(), said.size());
    _exit(written < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer;
  for (ssize_t count; (count = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    said.append(buffer.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

}  // namespace tandem
