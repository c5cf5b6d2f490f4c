#include "tandem/base/available_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace tandem {
namespace {

namespace fs = std::filesystem;

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

std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;  // no such file, or "max": no limit
}

/// The number in a line "NAME NUMBER"; 0 if there is no such line.
std::int64_t named_number_in(const fs::path& file, const std::string& wanted) {
  std::ifstream lines(file);
  std::int64_t number = 0;
  for (std::string name; lines >> name >> number;) {
    if (name == wanted) return number;
  }
  return 0;
}

/// The memory that the limit of one cgroup leaves. Cached files count as free, because the system
/// can drop them.
std::optional<std::int64_t> bytes_left_in(const fs::path& group) {
  const auto most = number_in(group / "memory.max");
  const auto used = number_in(group / "memory.current");
  if (!most || !used) return std::nullopt;
  const auto stat = group / "memory.stat";
  const auto files = named_number_in(stat, "inactive_file") + named_number_in(stat, "active_file");
  return std::max<std::int64_t>(0, *most - *used + files);
}

/// The folder of this process's cgroup below `root`. In a container that is the root itself.
fs::path cgroup_of(const fs::path& root, const fs::path& membership) {
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const auto group =
        root / fs::path(line.substr(std::min<std::size_t>(3, line.size()))).relative_path();
    if (line.starts_with("0::") && fs::exists(group)) return group;
  }
  return root;
}

}  // namespace

std::optional<std::int64_t> cgroup_bytes(const fs::path& root, const fs::path& membership) {
  std::optional<std::int64_t> least;
  for (auto group = cgroup_of(root, membership);; group = group.parent_path()) {
    if (const auto left = bytes_left_in(group)) least = std::min(least.value_or(*left), *left);
    if (group == root || !group.has_relative_path()) return least;
  }
}

std::optional<std::int64_t> available_memory_bytes() {
  const auto system = system_bytes();
  const auto group = cgroup_bytes("/sys/fs/cgroup", "/proc/self/cgroup");
  if (!system || !group) return system ? system : group;
  return std::min(*system, *group);
}

}  // namespace tandem
