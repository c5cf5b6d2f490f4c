#include "tandem/study/env_memory.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "tandem/base/streams.h"
#include "tandem/study/process_memory.h"

namespace tandem {

double env_bytes(const EnvFactory& make_env) {
  constexpr int kCount = 8;
  const auto first = make_env(0);
  std::vector<std::unique_ptr<Env>> some;
  std::vector<std::byte> frames(first->spec().step_bytes());
  Stream stream(1, streams::kEnvironments.id(1));
  first->reset(stream, frames);  // so that `before` includes all that environments share
  release_memory();
  const double before = resident_bytes();
  for (int i = 1; i <= kCount; ++i) {
    some.push_back(make_env(i));
    some.back()->reset(stream, frames);
  }
  return std::max(0.0, (resident_bytes() - before) / kCount);
}

}  // namespace tandem
