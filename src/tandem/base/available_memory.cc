#include "tandem/base/available_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace tandem {
namespace {

/// The available memory of the system, from the line "MemAvailable:    1234 kB" of /proc/meminfo.
std::optional<std::int64_t> system_bytes() {
  std::ifstream lines("/proc/meminfo");
  for (std::string name; lines >> name;) {
    std::int64_t kilobytes = 0;
    if (name == "MemAvailable:" && lines >> kilobytes) return 1024 * kilobytes;
    std::getline(lines, name);
  }
  return std::nullopt;
}

std::optional<std::int64_t> number_in(const char* file) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;  // no such file, or "max": no limit
}

/// The number in a line "NAME NUMBER"; 0 if there is no such line.
std::int64_t named_number_in(const char* file, const std::string& wanted) {
  std::ifstream lines(file);
  std::int64_t number = 0;
  for (std::string name; lines >> name >> number;) {
    if (name == wanted) return number;
  }
  return 0;
}

/// The memory that cgroup v2 leaves to a container. Inactive cached files count as free, because
/// the system can drop them.
std::optional<std::int64_t> container_bytes() {
  const auto most = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (!most || !used) return std::nullopt;
  const auto files = named_number_in("/sys/fs/cgroup/memory.stat", "inactive_file");
  return std::max<std::int64_t>(0, *most - *used + files);
}

}  // namespace

std::optional<std::int64_t> available_memory_bytes() {
  const auto system = system_bytes();
  const auto container = container_bytes();
  if (!system || !container) return system ? system : container;
  return std::min(*system, *container);
}

}  // namespace tandem
