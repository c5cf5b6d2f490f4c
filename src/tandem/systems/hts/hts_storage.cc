#include "tandem/systems/hts/hts_storage.h"

#include <algorithm>

namespace tandem {

HtsStorage::HtsStorage(const EnvSpec& spec, const HtsShape& shape, std::int64_t state_size)
    : shape_(shape) {
  for (int update = 0; update < shape.updates; ++update) {
    for (int first = 0; first < shape.envs; first += shape.envs_per_group) {
      const int envs = std::min(shape.envs_per_group, shape.envs - first);
      for (int rollout = 0; rollout < shape.rollouts_each(); ++rollout) {
        rollouts_.emplace_back(spec, shape.steps, envs, state_size);
      }
    }
  }
}

std::size_t HtsStorage::index_of(int update, int group, int rollout) const {
  return (static_cast<std::size_t>(update) * shape_.groups() + group) * shape_.rollouts_each() +
         rollout;
}

void HtsStorage::write(const Rollout& played, int rollout, int first) {
  const int update = rollout / shape_.rollouts_each();
  for (int done = 0; done < played.envs();) {
    const int env = first + done;
    const int group = env / shape_.envs_per_group;
    auto& own = rollouts_[index_of(update, group, rollout % shape_.rollouts_each())];
    const int to = env % shape_.envs_per_group;
    const int count = std::min(played.envs() - done, own.envs() - to);
    own.copy_envs(played, done, count, to);
    done += count;
  }
}

std::span<Rollout> HtsStorage::of_update(int update) {
  const auto count = static_cast<std::size_t>(shape_.groups()) * shape_.rollouts_each();
  return std::span(rollouts_).subspan(index_of(update, 0, 0), count);
}

std::span<Rollout> HtsStorage::of_group(int update, int group) {
  return std::span(rollouts_).subspan(index_of(update, group, 0),
                                      static_cast<std::size_t>(shape_.rollouts_each()));
}

std::int64_t HtsStorage::place_of(int rollout, int env) const {
  const auto each = std::int64_t{shape_.rollouts_each()};
  const std::int64_t update = rollout / each;
  const std::int64_t first_of_group = env - env % shape_.envs_per_group;
  return (update * shape_.envs + first_of_group) * each * shape_.steps +
         rollout % each * shape_.steps * stride_of(env) + env % shape_.envs_per_group;
}

std::int64_t HtsStorage::stride_of(int env) const {
  return rollouts_[index_of(0, env / shape_.envs_per_group, 0)].envs();
}

void HtsStorage::save(StateWriter& writer) const {
  for (const Rollout& rollout : rollouts_) rollout.save(writer);
}

void HtsStorage::load(StateReader& reader) {
  for (Rollout& rollout : rollouts_) rollout.load(reader);
}

}  // namespace tandem
