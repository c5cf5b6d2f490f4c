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

/// One actor that has not answered for so long is lost.
constexpr double kMostSeconds = 30;
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

void Publisher::publish(std::span<const float> parameters, const std::stop_token& stop) {
  version_ = version_.value_or(0) + 1;
  send(0, 0, parameters, stop);
}

void Publisher::order(std::int64_t rounds, std::uint64_t states_wanted,
                      const std::stop_token& stop) {
  send(rounds, states_wanted, {}, stop);
}

void Publisher::send(std::int64_t rounds, std::uint64_t states_wanted,
                     std::span<const float> parameters, const std::stop_token& stop) {
  MessageWriter writer(link_.self(), Verb::parameters);
  writer.content().put(version_.value_or(0) + 1);  // an actor's own first version is 0
  writer.content().put(rounds);
  writer.content().put(states_wanted);
  writer.content().put_bytes(std::as_bytes(parameters));
  const auto message = std::move(writer).seal();
  const Stopwatch watch;
  do {
    const auto answer = link_.ask(to_, message, [&] { return stop.stop_requested(); });
    if (to_ == "actors") return;
    if (answer && open_message(*answer).verb == Verb::done) return;
    std::this_thread::sleep_for(kAgain);  // the actor may not have been made yet
  } while (watch.seconds() < kMostSeconds);
  throw Error("the actor was lost; --resume goes on");
}

}  // namespace tandem
