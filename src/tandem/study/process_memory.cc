#include "tandem/study/process_memory.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace tandem {
namespace {

/// The bytes in a line of /proc/self/status such as "VmRSS:    1234 kB"; 0 without such a line.
double status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

}  // namespace

double resident_bytes() { return status_bytes("VmRSS"); }

void release_memory() {
  malloc_trim(0);
  // The 5 resets the peak alone. Some containers do not allow it.
  std::ofstream("/proc/self/clear_refs") << "5";
}

double peak_bytes() { return std::max(status_bytes("VmHWM"), resident_bytes()); }

}  // namespace tandem
