#include "tandem/study/env_memory.h"

#include <algorithm>
#include <vector>

#include "tandem/base/streams.h"
#include "tandem/study/process_memory.h"

namespace tandem {

double env_bytes(const EnvFactory& make_env, int together) {
  const auto first = make_env(0);
  std::vector<std::byte> frames(first->spec().step_bytes());
  Stream stream(1, streams::kEnvironments.id(1));
  first->reset(stream, frames);  // so that `before` includes all that environments share
  const auto bytes = [] { return resident_bytes() + descendants_bytes(); };
  release_memory();
  const double before = bytes();
  VecEnv some(make_env, {.first = 1, .count = together, .seed = 1});
  std::vector<std::byte> observations(static_cast<std::size_t>(some.size()) *
                                      some.spec().observation_bytes());
  some.reset(observations);
  return std::max(0.0, (bytes() - before) / together);
}

}  // namespace tandem
