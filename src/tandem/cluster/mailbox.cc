#include "tandem/cluster/mailbox.h"

#include <chrono>
#include <utility>

namespace tandem {

void Mailbox::send(std::string to, std::vector<std::byte> message, OnAnswer on_answer) {
  {
    const Lock lock(mutex_);
    if (!closed_) {
      last_ticket_ += 1;
      waiting_.push_back({std::move(to), std::move(message), last_ticket_});
      open_.emplace(last_ticket_, std::exchange(on_answer, nullptr));
    }
  }
  filled_.notify_one();
  if (on_answer) on_answer(std::nullopt);
}

std::optional<Outgoing> Mailbox::take(double seconds) {
  WaitLock lock(mutex_);
  filled_.wait_for(lock, std::chrono::duration<double>(seconds),
                   [&]() TANDEM_REQUIRES(mutex_) { return !waiting_.empty(); });
  if (waiting_.empty()) return std::nullopt;
  auto oldest = std::move(waiting_.front());
  waiting_.pop_front();
  return oldest;
}

void Mailbox::answer(std::int64_t ticket, std::optional<std::span<const std::byte>> answer) {
  OnAnswer on_answer;
  {
    const Lock lock(mutex_);
    const auto found = open_.find(ticket);
    if (found == open_.end()) return;
    on_answer = std::move(found->second);
    open_.erase(found);
    answering_ += 1;
  }
  try {
    if (on_answer) on_answer(answer);
  } catch (...) {
    end_answer();
    throw;
  }
  end_answer();
}

void Mailbox::end_answer() {
  {
    const Lock lock(mutex_);
    answering_ -= 1;
  }
  answered_.notify_all();
}

void Mailbox::close() {
  std::map<std::int64_t, OnAnswer> lost;
  {
    const Lock lock(mutex_);
    closed_ = true;
    waiting_.clear();
    lost.swap(open_);
  }
  filled_.notify_all();
  for (const auto& [ticket, on_answer] : lost) {
    if (on_answer) on_answer(std::nullopt);
  }
  WaitLock lock(mutex_);
  answered_.wait(lock, [&]() TANDEM_REQUIRES(mutex_) { return answering_ == 0; });
}

}  // namespace tandem
