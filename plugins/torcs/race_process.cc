#include "race_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "tandem/base/error.h"

namespace tandem::torcs {
namespace {

namespace fs = std::filesystem;

constexpr int kHostSocket = 3;
constexpr int kGreetingMilliseconds = 30'000;

/// Copies a name into a field that ends with a zero.
template <std::size_t size>
void put(char (&field)[size], const std::string& name) {
  std::strncpy(field, name.c_str(), size - 1);
}

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
/// that Ctrl-C goes to the trainer alone. It does not inherit the signals that the trainer blocks.
pid_t start_program(const std::string& program, int socket) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, kHostSocket);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
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

/// Whether a child has ended, which then is forgotten.
bool has_ended(pid_t child, int options, int& status) {
  pid_t found = 0;
  do {
    found = waitpid(child, &status, options);
  } while (found < 0 && errno == EINTR);
  return found != 0;
}

/// The status of a child that ends by itself within five seconds, or that is ended then.
int wait_for(pid_t child) {
  int status = 0;
  for (int attempt = 0; attempt < 500; ++attempt) {
    if (has_ended(child, WNOHANG, status)) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGKILL);
  has_ended(child, 0, status);
  return status;
}

std::string words_of(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGPROF) return "took more than a minute of the processor for one step";
  return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
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

RaceProcess::Child::Child(pid_t number) : id(number), parent(getpid()) {}

RaceProcess::Child::~Child() {
  if (id < 0 || parent != getpid()) return;
  int status = 0;
  kill(id, SIGKILL);
  has_ended(id, 0, status);
}

RaceProcess::RaceProcess(const fs::path& folder, const RaceOrder& order)
    : RaceProcess(folder, order, make_sockets()) {}

RaceProcess::RaceProcess(const fs::path& folder, const RaceOrder& order,
                         std::pair<Socket, Socket> sockets)
    : socket_(std::move(sockets.first)),
      process_(start_program(program_of(folder), sockets.second.number())) {
  { const auto ended = std::move(sockets.second); }  // or the child's end would go unseen
  check_greeting(program_of(folder));
  Request request{.order = Order::start, .race = order};
  const auto name = fs::absolute(folder).string();
  if (name.size() >= sizeof(request.race.folder)) {
    throw Error("torcs: the name of its folder is too long");
  }
  std::ranges::copy(name, request.race.folder);
  ask(request, {});
}

/// A program of an older tandem in the same folder waits for other words, or for none.
void RaceProcess::check_greeting(const std::string& program) {
  if (!has_words_within(kGreetingMilliseconds)) {
    throw Error(fmt::format(
        "torcs: {} has said nothing for {} seconds after its start. If this machine is busy, go on "
        "with `tandem train --resume`; a program of another version is built anew by: tandem "
        "install torcs --force, or tools/build_torcs.sh",
        program, kGreetingMilliseconds / 1000));
  }
  Greeting greeting{.version = 0};
  receive(&greeting, sizeof(greeting));
  has_greeted_ = true;
  if (greeting == Greeting{}) return;
  throw Error(fmt::format(
      "torcs: {} is of another version than this plug-in; build it anew: tandem install "
      "torcs --force, or tools/build_torcs.sh",
      program));
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
    if (sent <= 0) say_how_it_ended();
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
  if (static_cast<std::size_t>(report.bytes) != view.size()) {
    throw Error("torcs: a race's process answers with a picture of another size");
  }
  receive(view.data(), view.size());
  return report;
}

void RaceProcess::receive(void* bytes, std::size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    await_words();
    const auto got = recv(socket_.number(), at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) say_how_it_ended();
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}

/// Whether the process has written something or has ended by then. The time of this process counts,
/// so that a race which is suspended together with it, as by `docker pause`, goes on.
bool RaceProcess::has_words_within(int milliseconds) const {
  constexpr int kSliceMilliseconds = 100;
  pollfd waiting = {.fd = socket_.number(), .events = POLLIN, .revents = 0};
  for (int passed = 0; passed < milliseconds;) {
    const int ready = poll(&waiting, 1, kSliceMilliseconds);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) passed += kSliceMilliseconds;
  }
  return false;
}

/// Returns when the process has written something or has ended.
void RaceProcess::await_words() const {
  constexpr int kTenMinutes = 10 * 60 * 1000;
  if (has_words_within(kTenMinutes)) return;
  throw Error(
      "torcs: a race's process has said nothing for ten minutes; go on with `tandem train "
      "--resume`");
}

void RaceProcess::say_how_it_ended() {
  const int status = process_.id < 0 ? 0 : wait_for(std::exchange(process_.id, -1));
  const auto* remedy = has_greeted_ ? "go on with `tandem train --resume`"
                                    : "it cannot start here; build it anew: tandem install torcs "
                                      "--force, or tools/build_torcs.sh";
  throw Error(
      fmt::format("torcs: a race's process {}; {}. TANDEM_TORCS_LOG=1 shows TORCS's own words",
                  words_of(status), remedy));
}

RaceOrder make_order(const Track& track, const std::string& car) {
  RaceOrder order;
  put(order.track, track.name);
  put(order.category, track.category);
  put(order.car, car);
  order.place = -1;
  return order;
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
