#include "tandem/nn/kernels/sliced_same_convolution.h"

#include <algorithm>

#include "tandem/nn/kernels/sliced_product.h"

namespace tandem {
namespace {

constexpr std::int64_t kSameKernel = 3;

/// The bytes of a step belong to 16 channels of four pixels, of which the fourth has no weight.
std::vector<std::int64_t> same_order(const SameShape& shape) {
  std::vector<std::int64_t> order;
  for (std::int64_t step = 0; step < shape.channels / kLanes * kSameKernel; ++step) {
    for (std::int64_t i = 0; i < Tile::kRowBytes; ++i) {
      const auto channel = step / kSameKernel * kLanes + i % kLanes;
      const auto row = step % kSameKernel;
      const auto column = i / kLanes;
      const auto input = (channel * kSameKernel + row) * kSameKernel + column;
      order.push_back(column < kSameKernel ? input : SlicedWeights::kNone);
    }
  }
  return order;
}

}  // namespace

bool SlicedSameConvolution::supports(const SameShape& shape) {
  return shape.channels > 0 && shape.channels % kLanes == 0 && shape.filters % kLanes == 0 &&
         shape.channels * kSameKernel * kSameKernel <= SlicedProduct::kMostInputs;
}

SlicedSameConvolution::SlicedSameConvolution(const SameShape& shape)
    : shape_(shape),
      weights_(shape.filters, shape.channels * kSameKernel * kSameKernel, same_order(shape)),
      row_(shape.width + 2),
      // The last product reads up to sixteen places and a step beyond the image.
      slice_bytes_(shape.channels * (shape.height + 2) * row_ + Tile::kRows * kLanes +
                   Tile::kRowBytes),
      inputs_(static_cast<std::size_t>(kSlices * slice_bytes_)) {
  for (std::int64_t step = 0; step < weights_.steps(); ++step) {
    const auto image = step / kSameKernel * (shape.height + 2);
    offsets_.push_back((image + step % kSameKernel) * row_ * kLanes);
  }
}

/// Writes a sample's slices to inputs_; returns the float that a whole number of 1 stands for.
float SlicedSameConvolution::read(const float* in) {
  const auto planes = shape_.channels / kLanes;
  const auto scale = one_scale(in, planes * shape_.places());
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    for (std::int64_t y = 0; y < shape_.height; ++y, in += shape_.width * kLanes) {
      const auto place = (plane * (shape_.height + 2) + y + 1) * row_ + 1;
      SlicePlaces to;
      for (std::int64_t slice = 0; slice < kSlices; ++slice) {
        to[slice] = inputs_.data() + slice * slice_bytes_ + place * kLanes;
      }
      slices_in_order(in, shape_.width, scale.factor, to);
      // Slices are written four pixels at a time, so up to three behind the row.
      constexpr std::int64_t kBehind = 3;
      for (auto* slice : to) std::fill_n(slice + shape_.width * kLanes, kBehind * kLanes, 0);
    }
  }
  return scale.back;
}

void SlicedSameConvolution::forward(const float* in, float* out) {
  const TileRegisters registers;
  const float scale = read(in);
  const auto end = (shape_.height - 1) * row_ + shape_.width;
  for (std::int64_t block = 0; block < shape_.filters / kLanes; ++block) {
    for (std::int64_t first = 0; first < end; first += Tile::kRows) {
      const auto count = std::min(Tile::kRows, end - first);
      const SlicedProduct product({.first = &inputs_[first * kLanes],
                                   .row_stride = kLanes,
                                   .slice_stride = slice_bytes_,
                                   .offsets = offsets_.data(),
                                   .rows = count},
                                  weights_, block);
      // The parts of this product that lie in rows of the image.
      for (std::int64_t i = 0; i < count;) {
        const auto y = (first + i) / row_;
        const auto x = (first + i) % row_;
        const auto part = std::min(count - i, shape_.width - x);
        if (part > 0) {
          product.write_some(i, part, scale, shape_.adds, shape_.relu,
                             out + (y * shape_.width + x) * kLanes);
        }
        i += std::max<std::int64_t>(part, 1);
      }
    }
    out += shape_.places() * kLanes;
  }
}

}  // namespace tandem
