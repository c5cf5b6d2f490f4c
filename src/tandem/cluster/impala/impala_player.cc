#include "tandem/cluster/impala/impala_player.h"

#include <algorithm>
#include <span>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {

ImpalaPlayer::ImpalaPlayer(const ImpalaConfig& config, const ActorContext& context,
                           NetworkCopy copy, int rank, std::uint64_t seed)
    : units_(config.unroll * config.envs * context.spec.agents),
      actor_(config, context, std::move(copy), rank, seed) {}

void ImpalaPlayer::play() {
  used_ = actor_.play(std::move(used_), 0);
  StateWriter writer;
  save_experience(*used_, writer);
  const auto block = std::move(writer).take();
  bytes_.insert(bytes_.end(), block.begin(), block.end());
  packed_ += units_;
}

void ImpalaPlayer::take(StateWriter& writer) {
  writer.put_bytes(bytes_);
  bytes_.clear();
  packed_ = 0;
}

void save_experience(const Experience& experience, StateWriter& writer) {
  writer.put(experience.version);
  writer.put(experience.seconds);
  writer.put_values(experience.episodes);
  experience.rollout.save(writer);
}

void load_experience(StateReader& reader, const EnvSpec& spec, int first_env, int envs,
                     std::int64_t newest, Experience& experience) {
  experience.version = reader.get<std::int64_t>();
  experience.seconds = reader.get<TimeShares>();
  experience.episodes = reader.get_values<Episode>();
  experience.rollout.load(reader);
  const auto exists = [&](std::int32_t action) {
    return spec.num_actions == 0 || (action >= 0 && action < spec.num_actions);
  };
  require_own_episodes(experience.episodes, first_env, envs);
  const Rollout& rollout = experience.rollout;
  if (!can_be_counted(experience.version) || !std::ranges::all_of(rollout.actions(), exists)) {
    throw Error("an unroll has actions or parameters that do not exist");
  }
  experience.version = std::min(experience.version, newest);
}

}  // namespace tandem
