// A target network of one thread's own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tandem/learn/target.h"
#include "tandem/systems/parts.h"

namespace tandem {

/// Evaluates Q(s, a; theta-) over a copy of the theta- that all threads share. Not thread-safe; one
/// for each thread.
class TargetNetwork {
 public:
  /// `shared` must outlive it.
  TargetNetwork(const TargetParameters& shared, const NetworkFactory& make_network);

  /// Takes theta- as it is now.
  void synchronise();

  /// Null where the algorithm has no target network.
  [[nodiscard]] Network* get() const { return network_.get(); }

 private:
  const TargetParameters& shared_;
  std::optional<std::int64_t> version_;  // of the copy
  std::vector<float> parameters_;
  std::unique_ptr<Network> network_;
};

}  // namespace tandem
