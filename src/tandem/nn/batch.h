// Batches, as all networks handle them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/nn/architecture.h"
#include "tandem/nn/network.h"

namespace tandem {

/// Throws std::logic_error when a span's length contradicts architecture and out.batch, or when
/// there are pieces but the network takes none.
void require_sizes(const Architecture& architecture, const Inputs& inputs, const Heads& out,
                   bool takes_pieces = false);

/// The heads of `count` samples from `first` on; views. Pure.
Heads rows_of(const Heads& heads, std::int64_t first, std::int64_t count);

/// The inputs of `count` samples in the same way; not for pieces.
Inputs rows_of(const Inputs& inputs, std::int64_t first, std::int64_t count, std::int64_t batch);

/// The observations of a batch that lie in several places. They are copied only for networks that
/// need them side by side. Not thread-safe.
class Pieces {
 public:
  /// Forgets all samples.
  void clear() { pieces_.clear(); }

  /// Appends some samples. They must outlive the inputs.
  void add(std::span<const std::byte> observations) { pieces_.push_back(observations); }

  /// The inputs with all samples, without a state, as `network` takes them; views that hold until
  /// the next call of a member.
  Inputs inputs_of(const Network& network);

 private:
  std::vector<std::span<const std::byte>> pieces_;
  std::vector<std::byte> side_by_side_;
};

/// Memory for a batch's heads, reused from batch to batch. Not thread-safe.
class HeadsBuffer {
 public:
  /// Heads for `batch` samples; views that hold until the next call. The numbers in them stay while
  /// batches have one size.
  Heads of(const Architecture& architecture, std::int64_t batch);

 private:
  std::vector<float> logits_, value_;
};

/// The heads of the samples that a network has recorded. Not thread-safe.
class RecordedHeads {
 public:
  /// For a policy head of `actions` outputs.
  explicit RecordedHeads(std::int64_t actions) : actions_(actions) {}

  /// Copies these heads behind those before.
  void add(const Heads& heads);
  /// Forgets all samples.
  void clear();

  /// The gradient of `loss` at the heads of all samples, in their order; the views hold until the
  /// next add() or clear(). Throws std::logic_error when there are no samples.
  Heads gradient(const HeadLoss& loss);

 private:
  std::int64_t actions_;
  std::int64_t samples_ = 0;
  std::vector<float> logits_, value_;
  std::vector<float> logits_gradient_, value_gradient_;
};

}  // namespace tandem
