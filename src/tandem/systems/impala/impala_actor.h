// An actor of IMPALA.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/collector.h"
#include "tandem/acting/network_copy.h"
#include "tandem/systems/common/actor_context.h"
#include "tandem/systems/common/experience.h"
#include "tandem/systems/impala/impala_config.h"

namespace tandem {

/// Section 3: plays unrolls with a copy of the parameters, which it renews before each. The learner
/// makes a forward pass of its own, so actors record nothing. Not thread-safe; one for each thread.
class ImpalaActor {
 public:
  /// Actor `rank` of the config. It acts with `copy`, whose source must outlive it, as must the
  /// rule of `context`.
  ImpalaActor(const ImpalaConfig& config, const ActorContext& context, NetworkCopy copy, int rank,
              std::uint64_t seed);

  /// Starts every environment. Call it, or load(), once before the first play().
  void start() { collector_.start(); }
  void save(StateWriter& writer) { collector_.save(writer); }
  void load(StateReader& reader) { collector_.load(reader); }

  /// Calls `function` after each step of the environments.
  void on_step(std::function<void()> function) { collector_.on_step(std::move(function)); }

  /// Plays one unroll. Writes into `used` if it is not null. `steps` counts those of the run.
  std::unique_ptr<Experience> play(std::unique_ptr<Experience> used, std::int64_t steps);

 private:
  NetworkCopy copy_;
  ForwardActor network_;
  Collector collector_;
};

}  // namespace tandem
