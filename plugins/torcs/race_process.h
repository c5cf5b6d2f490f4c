// The other side of protocol.h: a race of TORCS, which runs in a process of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocol.h"

namespace tandem::torcs {

/// A file descriptor, closed at its end.
class Socket {
 public:
  explicit Socket(int number) : number_(number) {}
  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  ~Socket();
  Socket& operator=(Socket&&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// A race's process. It ends with this object, with the trainer however that ends, or when an order
/// takes more than a minute of the processor. Every call throws Error when the process has ended or
/// says that the race has failed. Not thread-safe; separate processes may be used by separate
/// threads.
class RaceProcess {
 public:
  /// Starts the race that `order` describes, with `folder` as its RaceOrder::folder.
  RaceProcess(const std::filesystem::path& folder, const RaceOrder& order);

  /// Holds an action for its turns.
  Report drive(const DrivingOrder& order);

  /// As drive(), and draws the driver's view after it: red, green and blue of each pixel.
  Report drive(const DrivingOrder& order, const PictureSize& size, std::span<std::uint8_t> view);

  /// The driver's view now.
  void draw(const PictureSize& size, std::span<std::uint8_t> view);

 private:
  RaceProcess(const std::filesystem::path& folder, const RaceOrder& order,
              std::pair<Socket, Socket> sockets);

  /// Ends it: it has no files and no state to save.
  struct Child {
    explicit Child(pid_t number);
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    pid_t id;
    pid_t parent;  // a process that this one has forked leaves the race alone
  };

  void check_greeting(const std::string& program);
  Report ask(const Request& request, std::span<std::uint8_t> view);
  void receive(void* bytes, std::size_t size);
  [[nodiscard]] bool has_words_within(int milliseconds) const;
  void await_words() const;
  [[noreturn]] void say_how_it_ended();

  Socket socket_;
  Child process_;
  bool has_greeted_ = false;
};

/// A track of TORCS.
struct Track {
  std::string name;      // "g-track-1"
  std::string category;  // "road", "oval" or "dirt"
};

/// A race on a track in a car, from the track's own start and without opponents.
[[nodiscard]] RaceOrder make_order(const Track& track, const std::string& car);

/// The tracks and cars in a folder of tools/build_torcs.sh, in alphabetical order. Throw Error when
/// it has none.
[[nodiscard]] std::vector<Track> tracks_in(const std::filesystem::path& folder);
[[nodiscard]] std::vector<std::string> cars_in(const std::filesystem::path& folder);

}  // namespace tandem::torcs
