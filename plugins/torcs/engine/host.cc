// The process of one race: takes orders from a socket, the file descriptor 3, until the other side
// ends.
// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>
#include <vector>

#include "../protocol.h"
#include "linuxspec.h"
#include "race.h"

namespace tandem::torcs {
namespace {

constexpr int kSocket = 3;
constexpr time_t kMostSeconds =
    60;  // of the processor for one order; a race that hangs ends itself

/// Ends this process, without TORCS's own end, which would write files.
[[noreturn]] void leave() { _exit(0); }

void receive(Request& request) {
  auto* at = reinterpret_cast<char*>(&request);
  for (std::size_t left = sizeof(request); left > 0;) {
    const auto got = recv(kSocket, at, left, 0);
    if (got <= 0) leave();
    at += got;
    left -= static_cast<std::size_t>(got);
  }
}

void send_bytes(const void* bytes, std::size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const auto sent = send(kSocket, at, size, MSG_NOSIGNAL);
    if (sent <= 0) leave();
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

template <class Bytes>
void answer(Report report, const Bytes& bytes) {
  report.bytes = static_cast<std::int32_t>(bytes.size());
  send_bytes(&report, sizeof(report));
  send_bytes(bytes.data(), bytes.size());
}

/// SIGPROF ends this process after so many seconds of its work; 0: never.
void limit(time_t seconds) {
  const itimerval timer = {.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// TORCS tells its terminal of each race.
void be_quiet() {
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
}

void serve() {
  const Greeting greeting;
  send_bytes(&greeting, sizeof(greeting));
  std::unique_ptr<Race> race;
  for (;;) {
    Request request;
    receive(request);
    limit(kMostSeconds);
    try {
      Report report;
      if (request.order == Order::start) {
        race = std::make_unique<Race>(request.race);
      } else if (request.order == Order::drive) {
        report = race->drive(request.driving);
      }
      std::vector<std::uint8_t> picture;
      if (request.picture.width > 0) picture = race->draw(request.picture);
      limit(0);
      answer(report, picture);
    } catch (const std::exception& error) {
      Report report;
      report.failed = 1;
      answer(report, std::string_view(error.what()));
      leave();
    }
  }
}

}  // namespace
}  // namespace tandem::torcs

int main() {
  std::getenv("TANDEM_TORCS_LOG") == nullptr ? tandem::torcs::be_quiet()
                                             : (void)setvbuf(stdout, nullptr, _IONBF, 0);
  LinuxSpecInit();
  tandem::torcs::serve();
}
