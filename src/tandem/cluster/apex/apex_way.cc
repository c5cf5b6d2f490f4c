#include "tandem/cluster/apex/apex_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/cluster/apex/apex_cluster.h"
#include "tandem/cluster/apex/apex_player.h"
#include "tandem/cluster/apex/apex_work.h"
#include "tandem/systems/apex/apex_parts.h"
#include "tandem/systems/apex/apex_system.h"

namespace tandem {
namespace {

/// Ape-X, but its actors and its replay are elsewhere. See System, also for thread-safety.
class ClusterApexSystem final : public ApexSystem {
 public:
  ClusterApexSystem(const ApexSystem& system, std::shared_ptr<ClusterLink> link)
      : ApexSystem(system), link_(std::move(link)) {}

  [[nodiscard]] std::unique_ptr<System> clone() const override {
    return std::make_unique<ClusterApexSystem>(*this);
  }
  void check() const override {
    ApexSystem::check();
    if (replay.sampler == "fifo") {
      throw Error(
          "replay.sampler = fifo has no order over several shards; use prioritized or uniform");
    }
    if (!config.lockstep || (config.actors == 1 && link_->shards() == 1)) return;
    throw Error("apex.lockstep on a cluster needs one actor and one shard: --actors 1 --shards 1");
  }
  void check_resume(const Checkpoint& /*checkpoint*/) const override {}
  void train(TrainingContext& context) const override {
    train_apex_on_cluster(config, replay, context, *link_);
  }

 private:
  std::shared_ptr<ClusterLink> link_;
};

const ApexSystem& as_apex(const System& system) { return dynamic_cast<const ApexSystem&>(system); }

class ApexWay final : public ClusterWay {
 public:
  [[nodiscard]] bool serves(const System& system) const override {
    return dynamic_cast<const ApexSystem*>(&system) != nullptr;
  }
  [[nodiscard]] std::string actors_key() const override { return "apex.actors"; }
  [[nodiscard]] bool has_shards() const override { return true; }
  [[nodiscard]] std::unique_ptr<System> on_cluster(
      const System& system, std::shared_ptr<ClusterLink> link) const override {
    return std::make_unique<ClusterApexSystem>(as_apex(system), std::move(link));
  }

  [[nodiscard]] ActorPlan plan_actor(const System& system, const ActorContext& context,
                                     const RoleOrder& order) const override {
    const auto& apex = as_apex(system);
    // A segment of each environment, spread over the shards.
    const auto segments = apex.config.envs * context.spec.agents;
    const auto each = std::max<std::int64_t>(segments / order.shards, 1);
    ActorPlan plan{.window = apex.replay.segment * apex.config.copies * each,
                   .lockstep = apex.config.lockstep};
    for (int shard = 0; shard < order.shards; ++shard) {
      plan.receivers.push_back(fmt::format("shard:{}", shard));
    }
    plan.make_player = [&apex, &context, order](const PublishedParameters& published) {
      auto options = actor_options(apex.config, apex.replay, context, context.spec, order.rank);
      options.seed = order.seed(options.seed);
      return std::make_unique<ApexPlayer>(
          options, context, NetworkCopy(published, context.make_network), apex.config.copies);
    };
    return plan;
  }

  /// The first shard draws as one machine's replay does.
  [[nodiscard]] ShardOptions shard_options(const System& system, const EnvSpec& spec,
                                           std::uint64_t seed,
                                           const RoleOrder& order) const override {
    constexpr std::uint64_t kSeedsOfARun = 1'000'003;
    const auto& apex = as_apex(system);
    return {.replay = apex.replay,
            .format = frame_format(spec, compression_of(apex.replay.compression)),
            .num_actions = spec.num_actions,
            .batch = apex.config.batch,
            .copies = apex.config.copies,
            .shards = order.shards,
            .seed = seed + static_cast<std::uint64_t>(order.rank) +
                    (order.incarnation - 1) * kSeedsOfARun,
            .self = order.self(kFirstShardPart)};
  }

  [[nodiscard]] ClusterWork measure_work(const System& system, const TrainingContext& context,
                                         int cores, double seconds) const override {
    const auto& apex = as_apex(system);
    return measure_apex_work(apex.config, apex.replay, context, cores, seconds);
  }
};

}  // namespace

std::unique_ptr<const ClusterWay> make_apex_way() { return std::make_unique<ApexWay>(); }

}  // namespace tandem
