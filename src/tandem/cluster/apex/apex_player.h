// Ape-X's actor in a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tandem/cluster/cluster_player.h"
#include "tandem/systems/apex/apex_actor.h"

namespace tandem {

/// Algorithm 1, with segments of transitions as the packed units. See ClusterPlayer.
class ApexPlayer final : public ClusterPlayer {
 public:
  /// The replay will hold each transition `copies` times, which count as so many units.
  ApexPlayer(const ApexActorOptions& options, const ActorContext& context, NetworkCopy copy,
             std::int64_t copies);

  void start() override { actor_.start(); }
  void save(StateWriter& writer) override { actor_.save(writer); }
  void load(StateReader& reader) override { actor_.load(reader); }
  void play() override;
  [[nodiscard]] std::int64_t packed() const override { return packed_; }
  [[nodiscard]] std::size_t packed_bytes() const override { return packed_bytes_; }
  void take(StateWriter& writer) override;
  ActorPlayed take_played() override;

 private:
  const std::int64_t copies_;
  ApexActor actor_;
  std::vector<std::unique_ptr<Segment>> full_;
  std::int64_t packed_ = 0;
  std::size_t packed_bytes_ = 0;
  std::int64_t steps_ = 0;  // since the last report
};

}  // namespace tandem
