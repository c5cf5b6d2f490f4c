// A residual section on oneDNN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tandem/nn/kernels/max_pool.h"
#include "tandem/nn/onednn/onednn_call.h"
#include "tandem/nn/onednn/onednn_same_convolution.h"
#include "tandem/nn/onednn/onednn_stage.h"

namespace tandem::onednn {

/// A convolution, a pool and residual blocks (tandem::Layer). Samples go through all of it one by
/// one, so that their activations stay in a core's own cache. For the backward pass it keeps the
/// pool's places and the input of each block's two convolutions; the output holds the sum to which
/// each block adds. Not thread-safe. oneDNN's exceptions (dnnl::error) pass through.
class Section final : public Stage {
 public:
  /// `input_tag`: the layout of its input, or Tag::any if the section may choose it. The context
  /// must outlive it.
  Section(Context& context, LayerSpec spec, Tag input_tag);

  [[nodiscard]] const LayerSpec& spec() const override { return spec_; }
  [[nodiscard]] Tag input_tag() const override { return input_tag_; }
  [[nodiscard]] Tag output_tag() const override { return output_tag_; }
  [[nodiscard]] std::size_t input_bytes() const override;
  [[nodiscard]] std::size_t output_bytes() const override;
  [[nodiscard]] std::size_t kept_bytes() const override;
  [[nodiscard]] std::size_t parameter_count() const override;

  void load(const float* parameters) override;
  void forward(const Samples& samples, std::byte* output) override;
  void forward_alone(std::span<const std::byte* const> inputs,
                     std::span<std::byte* const> outputs) override;
  void backward(const Samples& samples, const std::byte* d_linear, std::byte* d_input,
                float* d_parameters) override;

 private:
  /// The memory in which one sample's kept activations lie.
  struct Kept {
    std::uint8_t* places;  // of the pool
    std::byte* activations;
    std::size_t bytes;  // of each activation

    /// The input of the convolution with this index, 0 to 2 * blocks - 1, in the blocks.
    [[nodiscard]] std::byte* of(std::size_t convolution) const {
      return activations + convolution * bytes;
    }
  };

  [[nodiscard]] Kept kept(std::byte* sample) const;
  void forward_one(const std::byte* input, const Kept& kept, std::byte* output);
  void backward_one(const std::byte* input, const Kept& kept, const std::byte* d_linear,
                    std::byte* d_input);

  LayerSpec spec_;
  Tag input_tag_, output_tag_;
  PoolShape pool_;
  std::size_t activation_bytes_;               // of an activation in a block, rounded up
  std::vector<SameConvolution> convolutions_;  // the first, then two for each block
  Buffer image_;                               // the pool's input, or its gradient
  Buffer d_sum_, d_inner_;  // gradients of the sum, and of an activation within a block
};

}  // namespace tandem::onednn
