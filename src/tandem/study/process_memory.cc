#include "tandem/study/process_memory.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <ranges>
#include <sstream>
#include <string>

namespace tandem {
namespace {

namespace fs = std::filesystem;

/// The bytes in a line of a file of /proc such as "VmRSS:    1234 kB"; 0 without such a line.
double bytes_in(const fs::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

double status_bytes(const std::string& name) { return bytes_in("/proc/self/status", name); }

/// The process that began another one; 0 for one that has ended meanwhile.
int parent_of(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(file, line);
  // The name of the program stands in brackets, and may have some itself.
  std::istringstream rest(line.substr(std::min(line.rfind(')') + 1, line.size())));
  char state = 0;
  int parent = 0;
  rest >> state >> parent;
  return parent;
}

/// All processes by their parents.
std::multimap<int, int> children() {
  std::multimap<int, int> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    const int process = std::stoi(name);
    found.emplace(parent_of(process), process);
  }
  return found;
}

double bytes_below(int process, const std::multimap<int, int>& children) {
  double sum = 0;
  const auto [first, last] = children.equal_range(process);
  for (const auto& [parent, child] : std::ranges::subrange(first, last)) {
    sum += bytes_in(fmt::format("/proc/{}/smaps_rollup", child), "Pss");
    sum += bytes_below(child, children);
  }
  return sum;
}

}  // namespace

double resident_bytes() { return status_bytes("VmRSS"); }

double descendants_bytes() { return bytes_below(getpid(), children()); }

void release_memory() {
  malloc_trim(0);
  // The 5 resets the peak alone. Some containers do not allow it.
  std::ofstream("/proc/self/clear_refs") << "5";
}

double peak_bytes() { return std::max(status_bytes("VmHWM"), resident_bytes()); }

}  // namespace tandem
