#include "tandem/nn/kernels/sliced_dense.h"

#include <algorithm>

#include "tandem/nn/kernels/sliced_product.h"

namespace tandem {
namespace {

/// Bytes from one step to the next.
constexpr std::int64_t kStep = kSlices * sizeof(Tile);

/// A vector of inputs holds 16 channels of one place; a tile's row holds one channel of four
/// vectors.
std::vector<std::int64_t> order_of(const ImageDense& shape) {
  const auto steps = (shape.inputs() + Tile::kRowBytes - 1) / Tile::kRowBytes;
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < steps * Tile::kRowBytes; ++i) {
    const auto vector = i / Tile::kRowBytes * 4 + i % 4;
    const auto channel = vector / shape.places * kLanes + i % Tile::kRowBytes / 4;
    const bool any = channel < shape.channels;
    order.push_back(any ? channel * shape.places + vector % shape.places : SlicedWeights::kNone);
  }
  return order;
}

}  // namespace

bool SlicedDense::supports(const ImageDense& shape) {
  return shape.channels > 0 && shape.channels % kLanes == 0 && shape.outputs % kLanes == 0 &&
         shape.inputs() <= SlicedProduct::kMostInputs;
}

SlicedDense::SlicedDense(const ImageDense& shape)
    : shape_(shape), weights_(shape.outputs, shape.inputs(), order_of(shape)) {
  for (std::int64_t step = 0; step < weights_.steps(); ++step) offsets_.push_back(step * kStep);
}

/// Writes a sample's slices to a row of tiles; returns the float that a whole number of 1 stands
/// for.
float SlicedDense::read(const float* in, Tile* tile, std::int64_t row) const {
  const auto rows = shape_.inputs() / kLanes;
  const auto scale = one_scale(in, rows);
  slices_of_fours(in, rows, scale.factor, {tile[0].row(row), tile[1].row(row), tile[2].row(row)},
                  kStep);
  return scale.back;
}

void SlicedDense::forward(std::int64_t batch, const float* in, float* out) {
  if (batch == 0) return;
  // The batch is divided into as few blocks as possible, of about equal numbers of rows.
  const auto blocks = (batch + Tile::kRows - 1) / Tile::kRows;
  const auto rows = (batch + blocks - 1) / blocks;
  const auto tiles = weights_.steps() * kSlices;
  inputs_.resize(std::max<std::size_t>(inputs_.size(), blocks * tiles));
  scales_.resize(std::max<std::size_t>(scales_.size(), batch));
  for (std::int64_t i = 0; i < batch; ++i) {
    scales_[i] = read(in + i * shape_.inputs(), &inputs_[i / rows * tiles], i % rows);
  }
  const TileRegisters registers(rows);
  for (std::int64_t output = 0; output < shape_.outputs; output += kLanes) {
    for (std::int64_t first = 0; first < batch; first += rows) {
      const SliceRows block{.first = inputs_[first / rows * tiles].row(0),
                            .row_stride = Tile::kRowBytes,
                            .slice_stride = sizeof(Tile),
                            .offsets = offsets_.data(),
                            .rows = std::min(rows, batch - first)};
      const SlicedProduct product(block, weights_, output / kLanes);
      product.write(&scales_[first], shape_.relu, out + first * shape_.outputs + output,
                    shape_.outputs);
    }
  }
}

}  // namespace tandem
