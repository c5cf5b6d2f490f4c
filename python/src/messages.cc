#include "messages.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tandem::python {
namespace {

using Message = std::pair<int, std::string>;

/// Keeps the first messages until they are taken. Safe to use from many threads.
class Kept final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::vector<Message> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    constexpr std::size_t kMost = 1000;
    if (messages_.size() == kMost) return;
    messages_.emplace_back(level_of(message.level),
                           std::string(message.payload.begin(), message.payload.end()));
  }
  void flush_() override {}

 private:
  /// The level's number in Python's logging.
  static int level_of(spdlog::level::level_enum level) {
    constexpr int kInfo = 20;
    constexpr int kWarning = 30;
    constexpr int kError = 40;
    if (level >= spdlog::level::err) return kError;
    return level == spdlog::level::warn ? kWarning : kInfo;
  }

  std::vector<Message> messages_;
};

}  // namespace

void bind_messages(nanobind::module_& module) {
  const auto kept = std::make_shared<Kept>();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("tandem", kept));
  module.def("take_messages", [kept] { return kept->take(); });
}

}  // namespace tandem::python
