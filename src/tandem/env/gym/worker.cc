#include "tandem/env/gym/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "tandem/base/error.h"
#include "tandem/env/gym/milliseconds.h"

namespace tandem {
namespace {

[[noreturn]] void refuse() {
  throw Error(
      fmt::format("cannot talk to a worker process: {}", std::generic_category().message(errno)));
}

Descriptor make_ring(int flags) {
  Descriptor ring(eventfd(0, EFD_CLOEXEC | flags));
  if (ring.get() < 0) refuse();
  return ring;
}

}  // namespace

Worker::Socket Worker::make_socket() {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse();
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Worker::Worker(const std::string& python, const std::string& title, int start, int memory,
               Abandoned abandoned)
    : Worker(python, title, start, memory, make_socket(), std::move(abandoned)) {}

// The worker's end of the socket closes here once the process has it.
Worker::Worker(const std::string& python, const std::string& title, int start, int memory,
               Socket socket, Abandoned abandoned)
    : requests_(make_ring(0)),
      answers_(make_ring(0)),
      control_(std::move(socket.first)),
      process_(python, title,
               {.start = start,
                .memory = memory,
                .requests = requests_.get(),
                .answers = answers_.get(),
                .control = socket.second.get()}),
      abandoned_(std::move(abandoned)) {}

void Worker::ring() const { eventfd_write(requests_.get(), 1); }

void Worker::take_ring() const {
  eventfd_t count = 0;
  eventfd_read(answers_.get(), &count);
}

void Worker::send(const nlohmann::json& content) const {
  const auto text = content.dump();
  const std::array<std::uint32_t, 2> lengths{static_cast<std::uint32_t>(text.size()), 0};
  std::string all(reinterpret_cast<const char*>(lengths.data()), sizeof(lengths));
  all += text;
  // A worker that is gone is noticed when its answer is awaited.
  for (std::size_t sent = 0; sent < all.size();) {
    const auto count = ::send(control_.get(), all.data() + sent, all.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

Worker::Message Worker::receive(Time deadline) {
  std::array<std::uint32_t, 2> lengths{};
  read(deadline, lengths.data(), sizeof(lengths));
  std::string text(lengths[0], '\0');
  read(deadline, text.data(), text.size());
  Message message;
  message.picture.resize(lengths[1]);
  read(deadline, message.picture.data(), message.picture.size());
  message.content = nlohmann::json::parse(text);
  return message;
}

void Worker::read(Time& deadline, void* data, std::size_t bytes) {
  auto* rest = static_cast<char*>(data);
  while (bytes > 0) {
    wait_for_data(deadline);
    const auto count = recv(control_.get(), rest, bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) {
      // A process closes its descriptors a moment before it has ended.
      process_.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(1));
      throw Error(process_.end());
    }
    rest += count;
    bytes -= static_cast<std::size_t>(count);
  }
}

void Worker::wait_for_data(Time& deadline) {
  std::array<pollfd, 2> watched{pollfd{.fd = control_.get(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = process_.ended(), .events = POLLIN, .revents = 0}};
  for (;;) {
    const auto began = std::chrono::steady_clock::now();
    const int slice = std::min(milliseconds_until(deadline), kSliceMilliseconds);
    const int ready = poll(watched.data(), watched.size(), slice);
    deadline += suspended_for(std::chrono::steady_clock::now() - began);
    if (ready > 0 && watched[0].revents != 0) return;
    if (ready > 0) throw Error(process_.end());
    if (*abandoned_) {
      process_.end();
      throw Error("was ended, because nobody waits for it any more");
    }
    if (std::chrono::steady_clock::now() >= deadline) {  // signals may have kept it from waiting
      process_.end();
      throw Error("gave no answer in the time that env.timeout_seconds allows, and was ended");
    }
  }
}

}  // namespace tandem
