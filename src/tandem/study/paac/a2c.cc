#include "tandem/study/paac/a2c.h"

#include <fmt/format.h>

namespace tandem {

std::vector<Setting> one_group(const std::string& system) {
  if (system != "paac") return {};
  return {{"paac.envs_per_group", "256", "waits at each step"}};
}

Config a2c_config(std::int64_t envs, std::vector<Setting> task) {
  for (const char* key : {"paac.envs", "paac.workers", "paac.envs_per_group", "run.threads"}) {
    task.push_back({key, fmt::format("{}", envs), key});
  }
  return load_config("paac", task);
}

}  // namespace tandem
