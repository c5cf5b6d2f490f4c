// A network of one thread's own over parameters that others move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/nn/network.h"
#include "tandem/nn/network_factory.h"

namespace tandem {

/// A network over a copy of what all threads share, a SharedModel or TargetParameters. Not
/// thread-safe; one for each thread.
class NetworkCopy {
 public:
  /// Takes the parameters of `source` as they are now. It must outlive this; of size 0 there is no
  /// network.
  template <class Source>
  NetworkCopy(const Source& source, const NetworkFactory& make_network)
      : NetworkCopy(
            source.size(),
            [&source](auto& version, auto own) { return source.copy_if_newer(version, own); },
            make_network) {}

  /// Takes the parameters as they are now.
  void synchronise();

  /// There must be one.
  [[nodiscard]] Network& network() { return *network_; }

  /// Null where there is none.
  [[nodiscard]] Network* get() const { return network_.get(); }

  /// Of the parameters.
  [[nodiscard]] std::int64_t version() const { return version_.value_or(0); }

 private:
  /// As SharedModel's and TargetParameters' member of this name.
  using CopyIfNewer = std::function<bool(std::optional<std::int64_t>&, std::span<float>)>;

  NetworkCopy(std::size_t size, CopyIfNewer copy_if_newer, const NetworkFactory& make_network);

  CopyIfNewer copy_if_newer_;
  std::optional<std::int64_t> version_;
  std::vector<float> parameters_;
  std::unique_ptr<Network> network_;
};

}  // namespace tandem
