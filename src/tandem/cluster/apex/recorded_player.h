// Play of Ape-X that is recorded once and sent again and again, to load a replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/cluster/cluster_player.h"
#include "tandem/cluster/cluster_way.h"
#include "tandem/cluster/pace.h"
#include "tandem/systems/apex/apex_actor.h"

namespace tandem {

/// Segments of `transitions` transitions in all or a few more, from random play of one environment.
/// Their priorities are random.
[[nodiscard]] std::vector<std::unique_ptr<Segment>> record_play(const ApexActorOptions& options,
                                                                const ActorContext& context,
                                                                std::int64_t transitions);

/// Sends recorded segments in turn, at the pace of many actors, without an environment or a network
/// that would need the processor. See ClusterPlayer.
class RecordedPlayer final : public ClusterPlayer {
 public:
  /// The replay will hold each transition `copies` times.
  RecordedPlayer(std::vector<std::unique_ptr<Segment>> segments, std::int64_t copies,
                 std::shared_ptr<Pace> pace)
      : segments_(std::move(segments)), copies_(copies), pace_(std::move(pace)) {}

  void start() override {}
  void save(StateWriter& /*writer*/) override {}
  void load(StateReader& /*reader*/) override {}
  void play() override;
  [[nodiscard]] std::int64_t packed() const override { return packed_; }
  [[nodiscard]] std::size_t packed_bytes() const override { return packed_bytes_; }
  void take(StateWriter& writer) override;
  ActorPlayed take_played() override { return {.steps = std::exchange(steps_, 0)}; }

 private:
  const std::vector<std::unique_ptr<Segment>> segments_;
  const std::int64_t copies_;
  const std::shared_ptr<Pace> pace_;
  std::size_t next_ = 0;
  std::vector<const Segment*> full_;
  std::int64_t packed_ = 0;
  std::size_t packed_bytes_ = 0;
  std::int64_t steps_ = 0;  // since the last report
};

/// The plan of an actor of Ape-X, with such play in place of its own. `pace` counts transitions.
[[nodiscard]] ActorPlan recorded_plan(const System& system, const ActorContext& context,
                                      const RoleOrder& order, std::shared_ptr<Pace> pace);

}  // namespace tandem
