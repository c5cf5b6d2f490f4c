// A network of one thread's own over a model that others move.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/learn/shared_model.h"
#include "tandem/nn/network.h"

namespace tandem {

/// Not thread-safe; one for each thread.
class ModelCopy {
 public:
  /// Makes a network over parameters that it does not own.
  using MakeNetwork = std::function<std::unique_ptr<Network>(std::span<const float> parameters)>;

  /// The model must outlive it.
  ModelCopy(const SharedModel& model, const MakeNetwork& make_network);

  /// Takes the parameters as they are now.
  void synchronise();

  [[nodiscard]] Network& network() { return *network_; }

  /// Of the parameters.
  [[nodiscard]] std::int64_t version() const { return version_.value_or(0); }

 private:
  const SharedModel& model_;
  std::vector<float> parameters_;
  std::unique_ptr<Network> network_;
  std::optional<std::int64_t> version_;
};

}  // namespace tandem
