// IMPALA's actor in a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tandem/cluster/cluster_player.h"
#include "tandem/systems/impala/impala_actor.h"

namespace tandem {

/// Section 3 of IMPALA, with samples of unrolls as the packed units. See ClusterPlayer.
class ImpalaPlayer final : public ClusterPlayer {
 public:
  ImpalaPlayer(const ImpalaConfig& config, const ActorContext& context, NetworkCopy copy, int rank,
               std::uint64_t seed);

  void start() override { actor_.start(); }
  void save(StateWriter& writer) override { actor_.save(writer); }
  void load(StateReader& reader) override { actor_.load(reader); }
  void on_step(const std::function<void()>& function) override { actor_.on_step(function); }
  void play() override;
  [[nodiscard]] std::int64_t packed() const override { return packed_; }
  [[nodiscard]] std::size_t packed_bytes() const override { return bytes_.size(); }
  void take(StateWriter& writer) override;
  /// Nothing: an unroll brings its own steps and games, which count when it is learned from.
  ActorPlayed take_played() override { return {}; }

 private:
  const std::int64_t units_;  // samples of an unroll
  ImpalaActor actor_;
  std::unique_ptr<Experience> used_;
  std::vector<std::byte> bytes_;  // packed unrolls
  std::int64_t packed_ = 0;
};

/// Writes an unroll for a learner elsewhere.
void save_experience(const Experience& experience, StateWriter& writer);
/// Reads an unroll into `experience`, whose rollout must have the shape of the saved one. `envs`
/// are the numbers of the environments that may have played it. `newest` is the version of the
/// learner's model. A greater one is of a lost learner, which had counted its own updates, and
/// becomes `newest`. Throws Error for an unroll of another shape, or with actions or environments
/// that do not exist.
void load_experience(StateReader& reader, const EnvSpec& spec, int first_env, int envs,
                     std::int64_t newest, Experience& experience);

}  // namespace tandem
