#include "tandem/systems/hts/hts_storage.h"

#include <algorithm>

namespace tandem {

HtsStorage::HtsStorage(const EnvSpec& spec, int alpha, int envs, int envs_per_group)
    : envs_per_group_(envs_per_group) {
  for (int first = 0; first < envs; first += envs_per_group) {
    groups_.emplace_back(spec, alpha, std::min(envs_per_group, envs - first));
  }
}

void HtsStorage::write(const Rollout& played, int first) {
  for (int done = 0; done < played.envs();) {
    const int env = first + done;
    auto& group = groups_[static_cast<std::size_t>(env / envs_per_group_)];
    const int to = env % envs_per_group_;
    const int count = std::min(played.envs() - done, group.envs() - to);
    group.copy_envs(played, done, count, to);
    done += count;
  }
}

std::int64_t HtsStorage::place_of(int env) const {
  const int group = env / envs_per_group_;
  const auto steps = groups_.front().t_max();
  return std::int64_t{group} * envs_per_group_ * steps + env % envs_per_group_;
}

std::int64_t HtsStorage::stride_of(int env) const {
  return groups_[static_cast<std::size_t>(env / envs_per_group_)].envs();
}

void HtsStorage::save(StateWriter& writer) const {
  for (const Rollout& group : groups_) group.save(writer);
}

void HtsStorage::load(StateReader& reader) {
  for (Rollout& group : groups_) group.load(reader);
}

}  // namespace tandem
