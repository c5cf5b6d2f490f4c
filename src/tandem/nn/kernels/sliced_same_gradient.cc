#include "tandem/nn/kernels/sliced_same_gradient.h"

#include <immintrin.h>

#include <algorithm>
#include <array>

#include "tandem/nn/kernels/int8_slices.h"
#include "tandem/nn/kernels/sliced_product.h"

namespace tandem {
namespace {

constexpr std::int64_t kGradientKernel = 3;
constexpr std::int64_t kKernelPlaces = kGradientKernel * kGradientKernel;

/// The slices of a block of 16 channels and of a block of 16 filters.
struct GradientBlocks {
  const std::int8_t* image;   // the lowest slice
  std::int64_t image_stride;  // bytes from one channel to the next
  const Tile* gradient;       // the lowest slice
  std::int64_t steps;
};

/// Leaves the sums in registers 0 to 2, the highest in register 0.
[[gnu::target("amx-tile,amx-int8")]] void multiply_gradient(const GradientBlocks& blocks) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  const auto image_slice = Tile::kRows * blocks.image_stride;
  for (std::int64_t step = 0; step < blocks.steps; ++step) {
    const auto* image = blocks.image + step * Tile::kRowBytes;
    const auto* gradient = blocks.gradient + step;
    _tile_loadd(7, image + 2 * image_slice, blocks.image_stride);
    _tile_loadd(4, gradient[0].row(0), Tile::kRowBytes);
    _tile_dpbssd(2, 7, 4);
    _tile_loadd(5, gradient[blocks.steps].row(0), Tile::kRowBytes);
    _tile_dpbssd(1, 7, 5);
    _tile_loadd(6, gradient[2 * blocks.steps].row(0), Tile::kRowBytes);
    _tile_dpbssd(0, 7, 6);
    _tile_loadd(7, image + image_slice, blocks.image_stride);
    _tile_dpbssd(2, 7, 5);
    _tile_dpbssd(1, 7, 6);
    _tile_loadd(7, image, blocks.image_stride);
    _tile_dpbssd(2, 7, 6);
  }
}

[[gnu::target("amx-tile")]] void store_sums(Tile& highest, Tile& middle, Tile& lowest) {
  _tile_stored(0, highest.row(0), Tile::kRowBytes);
  _tile_stored(1, middle.row(0), Tile::kRowBytes);
  _tile_stored(2, lowest.row(0), Tile::kRowBytes);
}

/// Adds the sums, as floats, to `out` [16, 16].
[[gnu::target("avx512f")]] void add_sums(const Tile& highest, const Tile& middle,
                                         const Tile& lowest, float of_image, float of_gradient,
                                         float* out) {
  const __m512 byte = _mm512_set1_ps(0x1p8F);
  // The scales are applied one after the other: their product could be too small for a float.
  const __m512 first = _mm512_set1_ps(of_image * 0x1p16F);
  const __m512 second = _mm512_set1_ps(of_gradient);
  for (std::int64_t i = 0; i < Tile::kRows; ++i, out += kLanes) {
    const __m512 low = _mm512_cvtepi32_ps(_mm512_load_si512(lowest.row(i)));
    const __m512 mid = _mm512_cvtepi32_ps(_mm512_load_si512(middle.row(i)));
    const __m512 high = _mm512_cvtepi32_ps(_mm512_load_si512(highest.row(i)));
    const __m512 sum = _mm512_fmadd_ps(_mm512_fmadd_ps(high, byte, mid), byte, low);
    const __m512 scaled = _mm512_mul_ps(sum, first);
    _mm512_storeu_ps(out, _mm512_fmadd_ps(scaled, second, _mm512_loadu_ps(out)));
  }
}

[[gnu::target("avx512f")]] void add_rows(const float* rows, std::int64_t count, float* sums) {
  __m512 sum = _mm512_loadu_ps(sums);
  for (std::int64_t i = 0; i < count; ++i) {
    sum = _mm512_add_ps(sum, _mm512_loadu_ps(rows + i * kLanes));
  }
  _mm512_storeu_ps(sums, sum);
}

std::int64_t round_up_to_row(std::int64_t bytes) {
  return (bytes + Tile::kRowBytes - 1) / Tile::kRowBytes * Tile::kRowBytes;
}

}  // namespace

bool SlicedSameGradient::supports(const SameShape& shape) {
  return SlicedSameConvolution::supports(shape) &&
         shape.height * (shape.width + 2) <= SlicedProduct::kMostInputs;
}

SlicedSameGradient::SlicedSameGradient(const SameShape& shape)
    : shape_(shape),
      row_(shape.width + 2),
      steps_(round_up_to_row(shape.height * row_) / Tile::kRowBytes),
      // The last place of the kernel is two rows and two places away.
      image_bytes_(round_up_to_row(steps_ * Tile::kRowBytes + 2 * row_ + 2)),
      flat_(static_cast<std::size_t>(steps_ * Tile::kRowBytes * kLanes)),
      whole_(static_cast<std::size_t>(image_bytes_ * kLanes)),
      image_(static_cast<std::size_t>(shape.channels * kSlices * image_bytes_)),
      gradient_(static_cast<std::size_t>(shape.filters / kLanes * kSlices * steps_)),
      d_weights_(static_cast<std::size_t>(shape.filters * shape.channels * kKernelPlaces)),
      d_bias_(static_cast<std::size_t>(shape.filters)) {}

void SlicedSameGradient::clear() {
  std::ranges::fill(d_weights_, 0.0F);
  std::ranges::fill(d_bias_, 0.0F);
}

/// Writes the image's slices, channel by channel; returns the float that a whole number of 1 stands
/// for.
float SlicedSameGradient::read_image(const float* image) {
  const auto planes = shape_.channels / kLanes;
  const auto scale = one_scale(image, planes * shape_.places());
  std::array<float, kLanes> factors;
  factors.fill(scale.factor);
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    for (std::int64_t y = 0; y < shape_.height; ++y, image += shape_.width * kLanes) {
      to_whole(image, shape_.width, factors.data(), &whole_[((y + 1) * row_ + 1) * kLanes]);
    }
    auto* to = &image_[plane * kSlices * kLanes * image_bytes_];
    for (std::int64_t first = 0; first < image_bytes_; first += Tile::kRowBytes) {
      slices_of_columns(
          &whole_[first * kLanes],
          {to + first, to + first + kLanes * image_bytes_, to + first + 2 * kLanes * image_bytes_},
          image_bytes_);
    }
  }
  return scale.back;
}

/// Does the same for the gradient, four places at a time, and adds it to that of the bias.
float SlicedSameGradient::read_gradient(const float* d_out) {
  const auto planes = shape_.filters / kLanes;
  const auto scale = one_scale(d_out, planes * shape_.places());
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    add_rows(d_out, shape_.places(), &d_bias_[plane * kLanes]);
    for (std::int64_t y = 0; y < shape_.height; ++y, d_out += shape_.width * kLanes) {
      std::copy_n(d_out, shape_.width * kLanes, &flat_[y * row_ * kLanes]);
    }
    auto* to = &gradient_[plane * kSlices * steps_];
    slices_of_fours(flat_.data(), steps_ * Tile::kRowBytes, scale.factor,
                    {to->row(0), to[steps_].row(0), to[2 * steps_].row(0)}, Tile::kRowBytes);
  }
  return scale.back;
}

void SlicedSameGradient::add_products(float of_image, float of_gradient) {
  const TileRegisters registers;
  let_tiles_see_memory();
  auto* sums = d_weights_.data();
  Tile highest, middle, lowest;
  for (std::int64_t filters = 0; filters < shape_.filters / kLanes; ++filters) {
    for (std::int64_t channels = 0; channels < shape_.channels / kLanes; ++channels) {
      for (std::int64_t place = 0; place < kKernelPlaces; ++place, sums += kLanes * kLanes) {
        const auto distance = place / kGradientKernel * row_ + place % kGradientKernel;
        multiply_gradient({.image = &image_[channels * kSlices * kLanes * image_bytes_] + distance,
                           .image_stride = image_bytes_,
                           .gradient = &gradient_[filters * kSlices * steps_],
                           .steps = steps_});
        store_sums(highest, middle, lowest);
        add_sums(highest, middle, lowest, of_image, of_gradient, sums);
      }
    }
  }
}

void SlicedSameGradient::add(const float* image, const float* d_out) {
  const float of_image = read_image(image);
  const float of_gradient = read_gradient(d_out);
  add_products(of_image, of_gradient);
}

void SlicedSameGradient::write(float* d_weights, float* d_bias) const {
  std::ranges::copy(d_bias_, d_bias);
  const auto* sums = d_weights_.data();
  for (std::int64_t filters = 0; filters < shape_.filters; filters += kLanes) {
    for (std::int64_t channels = 0; channels < shape_.channels; channels += kLanes) {
      for (std::int64_t i = 0; i < kKernelPlaces * kLanes * kLanes; ++i) {
        const auto filter = filters + i % kLanes;
        const auto channel = channels + i / kLanes % kLanes;
        const auto place = i / kLanes / kLanes;
        d_weights[(filter * shape_.channels + channel) * kKernelPlaces + place] = *sums++;
      }
    }
  }
}

}  // namespace tandem
