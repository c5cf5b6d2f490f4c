// The target network of value methods, as actors use it.
#pragma once

#include <optional>

#include "tandem/acting/actor_network.h"
#include "tandem/acting/network_copy.h"
#include "tandem/learn/target.h"
#include "tandem/nn/network_factory.h"

namespace tandem {

/// One thread's copy of theta- (A3C, Algorithms 1 and 2), which values the states that targets
/// bootstrap from; nothing for algorithms without a target network. Not thread-safe; each thread
/// has its own.
class TargetNetwork {
 public:
  /// Copies the present theta-. `target` must outlive this.
  TargetNetwork(const TargetParameters& target, const NetworkFactory& make_network)
      : copy_(target, make_network) {
    if (copy_.get() != nullptr) network_.emplace(*copy_.get());
  }

  /// Copies theta- if it was refreshed.
  void synchronise() { copy_.synchronise(); }

  /// The network, for a Collector; null if there is no target network.
  [[nodiscard]] ActorNetwork* get() { return network_ ? &*network_ : nullptr; }

 private:
  NetworkCopy copy_;
  std::optional<ForwardActor> network_;
};

}  // namespace tandem
