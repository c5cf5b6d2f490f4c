#include "tandem/cluster/publisher.h"

#include <chrono>
#include <condition_variable>
#include <span>
#include <thread>
#include <utility>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/cluster/message.h"
#include "tandem/cluster/rhythm.h"
#include "tandem/sync/crew.h"
#include "tandem/sync/mutex.h"

namespace tandem {
namespace {

/// An actor that has answered before, and then has not for so long, is lost.
constexpr std::chrono::seconds kAnswerPatience(30);
constexpr std::chrono::milliseconds kAgain(50);

}  // namespace

void Publisher::run(double seconds, const std::stop_token& stop) {
  Mutex mutex;
  std::condition_variable_any nothing;
  Stopwatch since_last;
  while (true) {
    if (version_ != model_.version() || since_last.seconds() >= kRepeatSeconds) {
      publish(stop);
      since_last.lap();
    }
    WaitLock lock(mutex);
    nothing.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
    if (stop.stop_requested()) throw Stopped();
  }
}

void Publisher::publish(const std::stop_token& stop) {
  parameters_.resize(model_.size());
  model_.copy_if_newer(version_, parameters_);
  send(0, 0, parameters_, stop);
}

void Publisher::publish(std::span<const float> parameters) {
  version_ = version_.value_or(0) + 1;
  send(0, 0, parameters);
}

void Publisher::order(std::int64_t rounds, std::uint64_t states_wanted) {
  send(rounds, states_wanted, {});
}

void Publisher::send(std::int64_t rounds, std::uint64_t states_wanted,
                     std::span<const float> parameters, const std::stop_token& stop) {
  MessageWriter writer(link_.self(), Verb::parameters);
  writer.content().put(version_.value_or(0) + 1);  // an actor's own first version is 0
  writer.content().put(rounds);
  writer.content().put(states_wanted);
  writer.content().put_bytes(std::as_bytes(parameters));
  const auto message = std::move(writer).seal();
  const auto end = std::chrono::steady_clock::now() + (heard_ ? kAnswerPatience : kStartPatience);
  do {
    const auto answer = link_.ask(to_, message, [&] { return stop.stop_requested(); });
    if (to_ == "actors") return;
    heard_ = answer && open_message(*answer).verb == Verb::done;
    if (heard_) return;
    std::this_thread::sleep_for(kAgain);  // the actor may not have been made yet
  } while (std::chrono::steady_clock::now() < end);
  throw Error("the actor was lost; --resume goes on");
}

}  // namespace tandem
