#include "tandem/cluster/cluster_link.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/sync/crew.h"

namespace tandem {
namespace {

/// Between two questions whether a stop is requested, while an answer is awaited.
constexpr std::chrono::milliseconds kStopPoll(50);

}  // namespace

void ClusterLink::listen(OnLetter on_letter) {
  const Lock lock(listening_);
  on_letter_ = std::move(on_letter);
}

std::vector<std::byte> ClusterLink::deliver(std::span<const std::byte> message) {
  const ReadLock lock(listening_);
  if (!on_letter_) return {};
  std::optional<Sender> from;
  try {
    const auto letter = open_message(message);
    from = letter.from;
    if (letter.from.run != self_.run) return MessageWriter(self_, Verb::closed).seal();
    return on_letter_(letter);
  } catch (const Stopped&) {  // the system ends, and the message counts no more
    return {};
  } catch (const Garbled& garbled) {
    from = garbled.from();
    spdlog::warn("{}", garbled.what());
  } catch (const Error& error) {
    spdlog::warn("{}", error.what());
  }
  if (from) on_letter_({.from = *from, .verb = Verb::garbled});
  return MessageWriter(self_, Verb::garbled).seal();
}

std::optional<std::vector<std::byte>> ClusterLink::ask(const std::string& to,
                                                       std::vector<std::byte> message,
                                                       const StopRequested& stop_requested) {
  /// Outlives this call, in case that the answer comes after a stop.
  struct Answer {
    Mutex mutex;
    std::condition_variable_any came;
    bool here = false;
    std::optional<std::vector<std::byte>> bytes;
  };
  const auto answer = std::make_shared<Answer>();
  mailbox_.send(to, std::move(message), [answer](auto bytes) {
    const Lock lock(answer->mutex);
    answer->here = true;
    if (bytes) answer->bytes.emplace(bytes->begin(), bytes->end());
    answer->came.notify_all();
  });
  // The lock is free while `stop_requested` runs, which may be a user's function and take long.
  while (!stop_requested()) {
    WaitLock lock(answer->mutex);
    if (answer->came.wait_for(lock, kStopPoll, [&] { return answer->here; })) {
      return std::move(answer->bytes);
    }
  }
  throw Stopped();
}

void ClusterLink::set_status(nlohmann::ordered_json status) {
  const Lock lock(mutex_);
  status_ = std::move(status);
}

nlohmann::ordered_json ClusterLink::status() const {
  const Lock lock(mutex_);
  return status_;
}

}  // namespace tandem
