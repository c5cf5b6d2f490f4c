#include "tandem/systems/common/thread_state.h"

namespace tandem {

std::string state_name(const std::string& role, std::size_t rank) {
  return role + "_" + std::to_string(rank);
}

bool has_state(const Checkpoint* resume, const std::string& name) {
  return resume != nullptr && resume->blobs.contains(name);
}

void keep_state(const Checkpoint* resume, const std::string& name, Checkpoint& checkpoint) {
  if (!has_state(resume, name)) return;
  const auto state = resume->blob(name);
  checkpoint.add_blob(name, {state.begin(), state.end()});
}

}  // namespace tandem
