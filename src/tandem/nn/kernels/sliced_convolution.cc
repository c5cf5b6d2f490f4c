#include "tandem/nn/kernels/sliced_convolution.h"

#include <array>

#include "tandem/nn/kernels/sliced_product.h"

namespace tandem {
namespace {

/// The bytes of a step belong to 16 channels of four pixels; pixels beyond the kernel have no
/// weight.
std::vector<std::int64_t> order_of(const ConvolutionShape& shape) {
  std::vector<std::int64_t> order;
  for (std::int64_t step = 0; step < shape.channels / kLanes * shape.kernel; ++step) {
    for (std::int64_t i = 0; i < Tile::kRowBytes; ++i) {
      const auto channel = step / shape.kernel * kLanes + i % kLanes;
      const auto row = step % shape.kernel;
      const auto column = i / kLanes;
      const bool any = column < shape.kernel;
      const auto input = (channel * shape.kernel + row) * shape.kernel + column;
      order.push_back(any ? input : SlicedWeights::kNone);
    }
  }
  return order;
}

}  // namespace

bool SlicedConvolution::supports(const ConvolutionShape& shape) {
  return shape.channels > 0 && shape.channels % kLanes == 0 && shape.filters % kLanes == 0 &&
         shape.kernel * kLanes <= Tile::kRowBytes && shape.height >= shape.kernel &&
         shape.channels * shape.kernel * shape.kernel <= SlicedProduct::kMostInputs &&
         shape.width >= shape.kernel && shape.out_columns() <= Tile::kRows;
}

SlicedConvolution::SlicedConvolution(const ConvolutionShape& shape)
    : shape_(shape),
      weights_(shape.filters, shape.channels * shape.kernel * shape.kernel, order_of(shape)),
      // A step reads four pixels; pixels beyond the image meet weights of 0.
      slice_bytes_(shape.inputs() + Tile::kRowBytes),
      inputs_(kSlices * slice_bytes_) {
  for (std::int64_t step = 0; step < weights_.steps(); ++step) {
    const auto image = step / shape.kernel * shape.height;
    offsets_.push_back((image + step % shape.kernel) * shape.width * kLanes);
  }
}

/// Writes a sample's slices to inputs_; returns the float that a whole number of 1 stands for.
float SlicedConvolution::read(const float* in) {
  const auto rows = shape_.inputs() / kLanes;
  const auto scale = one_scale(in, rows);
  auto* first = inputs_.data();
  slices_in_order(in, rows, scale.factor, {first, first + slice_bytes_, first + 2 * slice_bytes_});
  return scale.back;
}

void SlicedConvolution::forward(std::int64_t batch, const float* in, float* out) {
  const auto columns = shape_.out_columns();
  const TileRegisters registers(columns);
  for (std::int64_t i = 0; i < batch; ++i, in += shape_.inputs(), out += shape_.outputs()) {
    std::array<float, Tile::kRows> scales;
    scales.fill(read(in));
    for (std::int64_t block = 0; block < shape_.filters / kLanes; ++block) {
      for (std::int64_t row = 0; row < shape_.out_rows(); ++row) {
        const auto* first = &inputs_[row * shape_.stride * shape_.width * kLanes];
        const SliceRows rows{.first = first,
                             .row_stride = shape_.stride * kLanes,
                             .slice_stride = slice_bytes_,
                             .offsets = offsets_.data(),
                             .rows = columns};
        const SlicedProduct product(rows, weights_, block);
        product.write(scales.data(), shape_.relu,
                      out + (block * shape_.out_rows() + row) * columns * kLanes, kLanes);
      }
    }
  }
}

}  // namespace tandem
