// Batches of inputs and heads, for all kinds of networks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/network.h"

namespace tandem {

/// Throws std::logic_error when a span's length contradicts architecture and out.batch, or when
/// there are pieces but the network does not take them.
void require_sizes(const Architecture& architecture, const Inputs& inputs, const Heads& out,
                   bool takes_pieces = false);

/// Views of the heads of `count` samples from `first` on. Pure.
Heads rows_of(const Heads& heads, std::int64_t first, std::int64_t count);

/// Views of the inputs of `count` samples, from `first` on, of a batch without pieces. Pure.
Inputs rows_of(const Inputs& inputs, std::int64_t first, std::int64_t count, std::int64_t batch);

/// A batch's observations, which lie in several places of memory. They are copied only for networks
/// that need them side by side. Not thread-safe.
class Pieces {
 public:
  /// Forgets all samples.
  void clear() { pieces_.clear(); }

  /// Appends some samples, which must outlive the results of inputs_of() and all().
  void add(std::span<const std::byte> observations) { pieces_.push_back(observations); }

  /// All samples in the order of add(), piece by piece; valid until the next call of a member that
  /// is not const.
  [[nodiscard]] std::span<const std::span<const std::byte>> all() const { return pieces_; }

  /// The inputs of all samples, without a state, for `network`: in pieces if it takes them,
  /// otherwise in one copy. The views are valid until the next call of a member.
  Inputs inputs_of(const Network& network);

 private:
  std::vector<std::span<const std::byte>> pieces_;
  std::vector<std::byte> side_by_side_;
};

/// Memory for a batch's heads, reused from batch to batch. Not thread-safe.
class HeadsBuffer {
 public:
  /// Heads for `batch` samples; the views are valid until the next call. Their contents persist
  /// from call to call as long as the batch size does not change.
  Heads of(const Architecture& architecture, std::int64_t batch);

 private:
  std::vector<float> logits_, value_;
};

/// The heads of the samples that a network has recorded. Not thread-safe.
class RecordedHeads {
 public:
  /// For a policy head of `actions` outputs.
  explicit RecordedHeads(std::int64_t actions) : actions_(actions) {}

  /// Appends a copy of these heads.
  void add(const Heads& heads);
  /// Forgets all samples.
  void clear();

  /// The gradient of `loss` at the heads of all samples, in their order; the views are valid until
  /// the next call of a member. Throws std::logic_error when there are no samples.
  Heads gradient(const HeadLoss& loss);

 private:
  std::int64_t actions_;
  std::int64_t samples_ = 0;
  std::vector<float> logits_, value_;
  std::vector<float> logits_gradient_, value_gradient_;
};

}  // namespace tandem
