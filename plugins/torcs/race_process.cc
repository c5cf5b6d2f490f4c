#include "race_process.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tandem/base/error.h"

namespace tandem::torcs {
namespace {

namespace fs = std::filesystem;

constexpr int kHostSocket = 3;
constexpr auto kEnded =
    "torcs: a race's process ended by itself, or somebody ended it; go on with `tandem train "
    "--resume`";

std::string program_of(const fs::path& folder) {
  const auto program = folder / "bin/torcs_host";
  if (!fs::exists(program)) {
    throw Error(fmt::format(
        "torcs: {} is missing; install TORCS: tandem install torcs, or tools/build_torcs.sh",
        program.string()));
  }
  return program.string();
}

/// Starts the program with a socket as its file descriptor 3. It has a process group of its own, so
/// that Ctrl-C goes to the trainer alone.
pid_t start_program(const std::string& program, int socket) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, kHostSocket);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::array<char*, 2> words = {const_cast<char*>(program.c_str()), nullptr};
  pid_t process = -1;
  const int failure =
      posix_spawn(&process, program.c_str(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    throw Error(fmt::format("torcs: {} cannot start: {}", program, std::strerror(failure)));
  }
  return process;
}

/// Other processes that this one starts do not inherit them: a race would not see that the trainer
/// has ended.
std::pair<Socket, Socket> make_sockets() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(fmt::format("torcs: no sockets for a race: {}", std::strerror(errno)));
  }
  return {Socket(ends[0]), Socket(ends[1])};
}

std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  if (names.empty()) {
    throw Error(
        fmt::format("torcs: there is nothing in {}; install TORCS: tandem install torcs, "
                    "or tools/build_torcs.sh",
                    folder.string()));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

Socket::~Socket() {
  if (number_ >= 0) close(number_);
}

RaceProcess::Child::~Child() {
  kill(id, SIGKILL);
  waitpid(id, nullptr, 0);
}

RaceProcess::RaceProcess(const fs::path& folder, const RaceOrder& order)
    : RaceProcess(folder, order, make_sockets()) {}

// The second socket is the child's, and is closed here at the end of this call.
RaceProcess::RaceProcess(const fs::path& folder, const RaceOrder& order,
                         std::pair<Socket, Socket> sockets)
    : socket_(std::move(sockets.first)),
      process_(start_program(program_of(folder), sockets.second.number())) {
  Request request{.order = Order::start, .race = order};
  const auto name = fs::absolute(folder).string();
  if (name.size() >= sizeof(request.race.folder)) {
    throw Error("torcs: the name of its folder is too long");
  }
  std::ranges::copy(name, request.race.folder);
  { const auto ended = std::move(sockets.second); }  // or a child's end would go unseen
  ask(request, {});
}

Report RaceProcess::drive(const DrivingOrder& order) {
  return ask({.order = Order::drive, .driving = order}, {});
}

Report RaceProcess::drive(const DrivingOrder& order, const PictureSize& size,
                          std::span<std::uint8_t> view) {
  return ask({.order = Order::drive, .picture = size, .driving = order}, view);
}

void RaceProcess::draw(const PictureSize& size, std::span<std::uint8_t> view) {
  ask({.order = Order::draw, .picture = size}, view);
}

Report RaceProcess::ask(const Request& request, std::span<std::uint8_t> view) {
  const auto* at = reinterpret_cast<const char*>(&request);
  for (std::size_t left = sizeof(request); left > 0;) {
    const auto sent = send(socket_.number(), at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw Error(kEnded);
    at += sent;
    left -= static_cast<std::size_t>(sent);
  }
  Report report;
  receive(&report, sizeof(report));
  if (report.failed != 0) {
    std::string words(static_cast<std::size_t>(report.bytes), ' ');
    receive(words.data(), words.size());
    throw Error("torcs: " + words);
  }
  if (static_cast<std::size_t>(report.bytes) != view.size()) throw Error(kEnded);
  receive(view.data(), view.size());
  return report;
}

void RaceProcess::receive(void* bytes, std::size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    const auto got = recv(socket_.number(), at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Error(kEnded);
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}

std::vector<Track> tracks_in(const fs::path& folder) {
  std::vector<Track> tracks;
  const auto data = folder / "share/tracks";
  for (const auto& category : folders_in(data)) {
    for (const auto& name : folders_in(data / category)) tracks.push_back({name, category});
  }
  std::ranges::sort(tracks, {}, &Track::name);
  return tracks;
}

std::vector<std::string> cars_in(const fs::path& folder) {
  return folders_in(folder / "share/cars");
}

}  // namespace tandem::torcs
