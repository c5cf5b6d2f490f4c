#include "tandem/cluster/impala/impala_way.h"

#include <stdexcept>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/cluster/impala/impala_cluster.h"
#include "tandem/cluster/impala/impala_player.h"
#include "tandem/systems/impala/impala_system.h"

namespace tandem {
namespace {

/// IMPALA, but its actors are elsewhere. See System, also for thread-safety.
class ClusterImpalaSystem final : public ImpalaSystem {
 public:
  ClusterImpalaSystem(const ImpalaSystem& system, std::shared_ptr<ClusterLink> link)
      : ImpalaSystem(system), link_(std::move(link)) {}

  [[nodiscard]] std::unique_ptr<System> clone() const override {
    return std::make_unique<ClusterImpalaSystem>(*this);
  }
  void train(TrainingContext& context) const override {
    train_impala_on_cluster(config, context, *link_);
  }

 private:
  std::shared_ptr<ClusterLink> link_;
};

const ImpalaSystem& as_impala(const System& system) {
  return dynamic_cast<const ImpalaSystem&>(system);
}

class ImpalaWay final : public ClusterWay {
 public:
  [[nodiscard]] bool serves(const System& system) const override {
    return dynamic_cast<const ImpalaSystem*>(&system) != nullptr;
  }
  [[nodiscard]] std::string actors_key() const override { return "impala.actors"; }
  [[nodiscard]] bool has_shards() const override { return false; }
  [[nodiscard]] std::unique_ptr<System> on_cluster(
      const System& system, std::shared_ptr<ClusterLink> link) const override {
    return std::make_unique<ClusterImpalaSystem>(as_impala(system), std::move(link));
  }

  [[nodiscard]] ActorPlan plan_actor(const System& system, const ActorContext& context,
                                     const RoleOrder& order) const override {
    const auto& config = as_impala(system).config;
    return {.receivers = {"learner"},
            .window = config.unroll * config.envs * context.spec.agents,
            .make_player = [&config, &context, order](const PublishedParameters& published) {
              return std::make_unique<ImpalaPlayer>(config, context,
                                                    NetworkCopy(published, context.make_network),
                                                    order.rank, order.seed(context.seed));
            }};
  }

  [[nodiscard]] ShardOptions shard_options(const System& /*system*/, const EnvSpec& /*spec*/,
                                           std::uint64_t /*seed*/,
                                           const RoleOrder& /*order*/) const override {
    throw std::logic_error("IMPALA has no replay");
  }

  [[nodiscard]] ClusterWork measure_work(const System& /*system*/,
                                         const TrainingContext& /*context*/, int /*cores*/,
                                         double /*seconds*/) const override {
    throw Error("IMPALA has no forecast for a cluster yet; `tandem advise` forecasts one machine");
  }
};

}  // namespace

std::unique_ptr<const ClusterWay> make_impala_way() { return std::make_unique<ImpalaWay>(); }

}  // namespace tandem
