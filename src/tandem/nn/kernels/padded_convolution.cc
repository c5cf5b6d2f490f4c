#include "tandem/nn/kernels/padded_convolution.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "tandem/base/vectorise.h"

namespace tandem {
namespace {

constexpr std::int64_t kSide = 3;  // of the kernel

// Vectors are passed by reference, because the convention for passing them by value depends on the
// instructions.

template <std::int64_t kCount>
struct FilterLanes {
  using Type __attribute__((vector_size(kCount * sizeof(float)))) = float;
};

template <std::int64_t kCount>
using Filters = FilterLanes<kCount>::Type;

/// The memory of one plane of filters.
struct FilterPlane {
  std::int64_t channels, height, width;
  const float* padded;
  const float* weights;
  const float* bias;
};

/// Computes kPixels outputs that lie side by side, from the pixel `first` of the padded image on.
template <std::int64_t kCount, std::int64_t kPixels>
[[gnu::always_inline]] inline void filter_pixels(const FilterPlane& plane, const float* first,
                                                 float* out) {
  Filters<kCount> sums[kPixels];
#pragma GCC unroll 16
  for (std::int64_t p = 0; p < kPixels; ++p) std::memcpy(&sums[p], plane.bias, sizeof(sums[p]));
  const auto* weights = plane.weights;
  for (std::int64_t row = 0; row < kSide; ++row) {
    const auto* from = first + row * (plane.width + 2) * plane.channels;
    for (std::int64_t k = 0; k < kSide * plane.channels; ++k, weights += kCount) {
      Filters<kCount> weight;
      std::memcpy(&weight, weights, sizeof(weight));
#pragma GCC unroll 16
      for (std::int64_t p = 0; p < kPixels; ++p) sums[p] += weight * from[p * plane.channels + k];
    }
  }
#pragma GCC unroll 16
  for (std::int64_t p = 0; p < kPixels; ++p) {
    std::memcpy(out + p * kCount, &sums[p], sizeof(sums[p]));
  }
}

template <std::int64_t kCount>
[[gnu::always_inline]] inline void filter_plane(const FilterPlane& plane, float* out) {
  constexpr std::int64_t kMany = 12;
  constexpr std::int64_t kSome = 4;
  for (std::int64_t y = 0; y < plane.height; ++y) {
    const auto* from = plane.padded + y * (plane.width + 2) * plane.channels;
    std::int64_t x = 0;
    for (; x + kMany <= plane.width; x += kMany, out += kMany * kCount) {
      filter_pixels<kCount, kMany>(plane, from + x * plane.channels, out);
    }
    for (; x + kSome <= plane.width; x += kSome, out += kSome * kCount) {
      filter_pixels<kCount, kSome>(plane, from + x * plane.channels, out);
    }
    for (; x < plane.width; ++x, out += kCount) {
      filter_pixels<kCount, 1>(plane, from + x * plane.channels, out);
    }
  }
}

/// Adds the gradients of kWeights weights of each filter, those of input `k` of the kernel's row
/// `row` and the next ones.
template <std::int64_t kCount, std::int64_t kWeights>
[[gnu::always_inline]] inline void add_weight_gradients(const FilterPlane& plane,
                                                        const float* d_out, std::int64_t row,
                                                        std::int64_t k, float* d_weights) {
  auto* to = d_weights + (row * kSide * plane.channels + k) * kCount;
  Filters<kCount> sums[kWeights] = {};
  for (std::int64_t y = 0; y < plane.height; ++y) {
    const auto* from = plane.padded + (y + row) * (plane.width + 2) * plane.channels + k;
    for (std::int64_t x = 0; x < plane.width; ++x, from += plane.channels, d_out += kCount) {
      Filters<kCount> d;
      std::memcpy(&d, d_out, sizeof(d));
#pragma GCC unroll 16
      for (std::int64_t i = 0; i < kWeights; ++i) sums[i] += d * from[i];
    }
  }
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < kWeights; ++i) {
    Filters<kCount> before;
    std::memcpy(&before, to + i * kCount, sizeof(before));
    before += sums[i];
    std::memcpy(to + i * kCount, &before, sizeof(before));
  }
}

template <std::int64_t kCount>
[[gnu::always_inline]] inline void add_plane_gradients(const FilterPlane& plane, const float* d_out,
                                                       float* d_weights, float* d_bias) {
  constexpr std::int64_t kMany = 12;
  for (std::int64_t row = 0; row < kSide; ++row) {
    std::int64_t k = 0;
    for (; k + kMany <= kSide * plane.channels; k += kMany) {
      add_weight_gradients<kCount, kMany>(plane, d_out, row, k, d_weights);
    }
    for (; k < kSide * plane.channels; k += kSide) {
      add_weight_gradients<kCount, kSide>(plane, d_out, row, k, d_weights);
    }
  }
  Filters<kCount> sum{};
  for (std::int64_t i = 0; i < plane.height * plane.width; ++i) {
    Filters<kCount> d;
    std::memcpy(&d, d_out + i * kCount, sizeof(d));
    sum += d;
  }
  for (std::int64_t lane = 0; lane < kCount; ++lane) d_bias[lane] += sum[lane];
}

}  // namespace

PaddedConvolution::PaddedConvolution(const PaddedShape& shape)
    : shape_(shape),
      padded_(static_cast<std::size_t>((shape.height + 2) * (shape.width + 2) * shape.channels)),
      weights_(
          static_cast<std::size_t>(shape.planes() * kSide * kSide * shape.channels * shape.lanes)),
      bias_(static_cast<std::size_t>(shape.planes() * shape.lanes)),
      d_weights_(weights_.size()),
      d_bias_(bias_.size()) {
  if (shape.lanes != 8 && shape.lanes != 16) throw std::logic_error("PaddedConvolution: lanes");
}

/// The place of a weight in weights_.
std::int64_t PaddedConvolution::place(std::int64_t filter, std::int64_t channel, std::int64_t row,
                                      std::int64_t column) const {
  const auto input = (row * kSide + column) * shape_.channels + channel;
  const auto plane = filter / shape_.lanes;
  return (plane * kSide * kSide * shape_.channels + input) * shape_.lanes + filter % shape_.lanes;
}

void PaddedConvolution::load(const float* weights, const float* bias) {
  std::copy_n(bias, shape_.filters, bias_.begin());
  for (std::int64_t filter = 0; filter < shape_.filters; ++filter) {
    for (std::int64_t channel = 0; channel < shape_.channels; ++channel) {
      for (std::int64_t i = 0; i < kSide * kSide; ++i) {
        weights_[place(filter, channel, i / kSide, i % kSide)] = *weights++;
      }
    }
  }
}

void PaddedConvolution::pad(const float* image) {
  const auto row = shape_.width * shape_.channels;
  auto* to = padded_.data() + (shape_.width + 3) * shape_.channels;
  for (std::int64_t y = 0; y < shape_.height; ++y) {
    to = std::copy_n(image + y * row, row, to) + 2 * shape_.channels;
  }
}

void PaddedConvolution::forward(const float* image, float* out) {
  pad(image);
  const auto outputs = shape_.height * shape_.width * shape_.lanes;
  const auto weights = kSide * kSide * shape_.channels * shape_.lanes;
  for (std::int64_t i = 0; i < shape_.planes(); ++i, out += outputs) {
    const FilterPlane plane{shape_.channels, shape_.height,          shape_.width,
                            padded_.data(),  &weights_[i * weights], &bias_[i * shape_.lanes]};
    if (shape_.lanes == 16) {
      vectorise([=] { filter_plane<16>(plane, out); });
    } else {
      vectorise([=] { filter_plane<8>(plane, out); });
    }
  }
}

void PaddedConvolution::add_gradients(const float* image, const float* d_out) {
  pad(image);
  const auto outputs = shape_.height * shape_.width * shape_.lanes;
  const auto weights = kSide * kSide * shape_.channels * shape_.lanes;
  for (std::int64_t i = 0; i < shape_.planes(); ++i, d_out += outputs) {
    const FilterPlane plane{shape_.channels, shape_.height, shape_.width,
                            padded_.data(),  nullptr,       nullptr};
    auto* d_weights = &d_weights_[i * weights];
    auto* d_bias = &d_bias_[i * shape_.lanes];
    if (shape_.lanes == 16) {
      vectorise([=] { add_plane_gradients<16>(plane, d_out, d_weights, d_bias); });
    } else {
      vectorise([=] { add_plane_gradients<8>(plane, d_out, d_weights, d_bias); });
    }
  }
}

void PaddedConvolution::clear() {
  std::ranges::fill(d_weights_, 0.0F);
  std::ranges::fill(d_bias_, 0.0F);
}

void PaddedConvolution::write_gradients(float* d_weights, float* d_bias) const {
  std::copy_n(d_bias_.begin(), shape_.filters, d_bias);
  for (std::int64_t filter = 0; filter < shape_.filters; ++filter) {
    for (std::int64_t channel = 0; channel < shape_.channels; ++channel) {
      for (std::int64_t i = 0; i < kSide * kSide; ++i) {
        *d_weights++ = d_weights_[place(filter, channel, i / kSide, i % kSide)];
      }
    }
  }
}

}  // namespace tandem
