#include "tandem/base/mendable.h"

#include <filesystem>
#include <new>
#include <system_error>

namespace tandem {

std::optional<std::string> mendable(const std::exception& error) {
  if (dynamic_cast<const std::filesystem::filesystem_error*>(&error) != nullptr) {
    return std::string(error.what()) + "; check the path, its permissions and the disk";
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "there is not enough memory: use fewer environments or a smaller network, or end other "
           "programs";
  }
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {
    return "a thread cannot be started: raise the limit of threads (ulimit -u, or the container's "
           "limit of processes), use fewer threads, or end other programs";
  }
  return std::nullopt;
}

}  // namespace tandem
