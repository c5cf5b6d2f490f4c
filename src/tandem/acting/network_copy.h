// A thread's own network over a copy of shared parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/base/large_pages.h"
#include "tandem/nn/network.h"
#include "tandem/nn/network_factory.h"

namespace tandem {

/// A network over a copy of the parameters of a SharedModel, PublishedParameters or
/// TargetParameters. Not thread-safe; each thread has its own.
class NetworkCopy {
 public:
  /// Copies the present parameters of `source`, which must outlive this. A source of size 0 gives
  /// no network.
  template <class Source>
  NetworkCopy(const Source& source, const NetworkFactory& make_network)
      : NetworkCopy(
            source.size(),
            [&source](auto& version, auto own) { return source.copy_if_newer(version, own); },
            make_network) {}

  /// Copies the parameters if the source has newer ones.
  void synchronise();

  /// Must not be called without a network.
  [[nodiscard]] Network& network() { return *network_; }

  /// Null if there is no network.
  [[nodiscard]] Network* get() const { return network_.get(); }

  /// The version of the parameters.
  [[nodiscard]] std::int64_t version() const { return version_.value_or(0); }

 private:
  /// The source's member copy_if_newer().
  using CopyIfNewer = std::function<bool(std::optional<std::int64_t>&, std::span<float>)>;

  NetworkCopy(std::size_t size, CopyIfNewer copy_if_newer, const NetworkFactory& make_network);

  CopyIfNewer copy_if_newer_;
  std::optional<std::int64_t> version_;
  std::vector<float, LargePages<float>> parameters_;  // read whole for each action
  std::unique_ptr<Network> network_;
};

}  // namespace tandem
