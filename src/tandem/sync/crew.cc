#include "tandem/sync/crew.h"

#include <pthread.h>

namespace tandem {

Crew::~Crew() { end(); }

void Crew::end() noexcept {
  stop();
  join_threads();
}

void Crew::spawn(const std::string& role, int count, const std::function<void(int rank)>& body,
                 int first) {
  for (int rank = first; rank < first + count; ++rank) {
    threads_.emplace_back([this, body, rank, name = role + "-" + std::to_string(rank)] {
      pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
      run(body, rank);
    });
  }
}

void Crew::run(const std::function<void(int)>& body, int rank) noexcept {
  try {
    body(rank);
  } catch (const Stopped&) {
    // Another thread or the owner ended the work.
  } catch (...) {
    {
      const Lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    stop();
  }
}

void Crew::join() {
  join_threads();
  const Lock lock(mutex_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

StopOnFailure::~StopOnFailure() {
  if (std::uncaught_exceptions() > before_) crew_.stop();
}

void Crew::join_threads() {
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace tandem
