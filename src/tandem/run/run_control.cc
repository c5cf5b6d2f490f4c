#include "tandem/run/run_control.h"

#include <algorithm>
#include <chrono>

#include "tandem/base/error.h"

namespace tandem {

RunControl::Request RunControl::ask() { return ++newest_; }

std::optional<std::filesystem::path> RunControl::wait_for(Request request, double seconds) {
  const auto ready = [&]() TANDEM_REQUIRES(mutex_) {
    return answered_ >= request || !ended_.empty();
  };
  WaitLock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), ready);
  if (answered_ >= request) return folder_;
  if (!ended_.empty()) throw Error(ended_);
  return std::nullopt;
}

std::filesystem::path RunControl::save() {
  constexpr double kHour = 3600;
  const auto request = ask();
  while (true) {
    if (auto folder = wait_for(request, kHour)) return *std::move(folder);
  }
}

RunControl::Request RunControl::take() {
  const Request newest = newest_.load();
  taken_ = newest;
  return newest;
}

void RunControl::answer(Request request, const std::filesystem::path& folder) {
  {
    const Lock lock(mutex_);
    answered_ = std::max(answered_, request);
    folder_ = folder;
  }
  changed_.notify_all();
}

void RunControl::end(const std::string& why) {
  {
    const Lock lock(mutex_);
    if (ended_.empty()) ended_ = why;
  }
  changed_.notify_all();
}

}  // namespace tandem
