#include "tandem/acting/actor_played.h"

namespace tandem {

void ActorPlayed::save(StateWriter& writer) const {
  writer.put(steps);
  writer.put_values(episodes);
  writer.put(seconds);
}

ActorPlayed ActorPlayed::load(StateReader& reader) {
  ActorPlayed played;
  played.steps = reader.get<std::int64_t>();
  played.episodes = reader.get_values<Episode>();
  played.seconds = reader.get<TimeShares>();
  return played;
}

}  // namespace tandem
