#include "tandem/nn/kernels/sliced_product.h"

#include <immintrin.h>

namespace tandem {
namespace {

constexpr std::int64_t kRowBytes = Tile::kRowBytes;

/// Leaves the sums in registers 0 to 2.
[[gnu::target("amx-tile,amx-int8")]] void multiply(const SliceRows& rows, const Tile* weights,
                                                   std::int64_t steps) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  for (std::int64_t step = 0; step < steps; ++step, weights += kSlices) {
    const auto* row = rows.first + rows.offsets[step];
    _tile_loadd(7, row + 2 * rows.slice_stride, rows.row_stride);
    _tile_loadd(4, weights[0].row(0), kRowBytes);
    _tile_dpbssd(2, 7, 4);
    _tile_loadd(5, weights[1].row(0), kRowBytes);
    _tile_dpbssd(1, 7, 5);
    _tile_loadd(6, weights[2].row(0), kRowBytes);
    _tile_dpbssd(0, 7, 6);
    _tile_loadd(7, row + rows.slice_stride, rows.row_stride);
    _tile_dpbssd(2, 7, 5);
    _tile_dpbssd(1, 7, 6);
    _tile_loadd(7, row, rows.row_stride);
    _tile_dpbssd(2, 7, 6);
  }
}

[[gnu::target("amx-tile")]] void store(Tile& highest, Tile& middle, Tile& lowest) {
  _tile_stored(0, highest.row(0), kRowBytes);
  _tile_stored(1, middle.row(0), kRowBytes);
  _tile_stored(2, lowest.row(0), kRowBytes);
}

}  // namespace

SlicedProduct::SlicedProduct(const SliceRows& rows, const SlicedWeights& weights,
                             std::int64_t block)
    : rows_(rows.rows),
      scales_(weights.scales() + block * Tile::kRows),
      bias_(weights.bias() + block * Tile::kRows) {
  let_tiles_see_memory();
  multiply(rows, weights.tiles(block), weights.steps());
  store(highest_, middle_, lowest_);
}

[[gnu::target("avx512f")]] void SlicedProduct::write_some(std::int64_t first, std::int64_t count,
                                                          float row_scale, bool adds, bool relu,
                                                          float* out) const {
  const __m512 byte = _mm512_set1_ps(0x1p8F);
  const __m512 scale = _mm512_mul_ps(_mm512_loadu_ps(scales_), _mm512_set1_ps(0x1p16F));
  const __m512 bias = _mm512_loadu_ps(bias_);
  const __m512 of_rows = _mm512_set1_ps(row_scale);
  for (std::int64_t i = first; i < first + count; ++i, out += kLanes) {
    const __m512 lowest = _mm512_cvtepi32_ps(_mm512_load_si512(lowest_.row(i)));
    const __m512 middle = _mm512_cvtepi32_ps(_mm512_load_si512(middle_.row(i)));
    const __m512 highest = _mm512_cvtepi32_ps(_mm512_load_si512(highest_.row(i)));
    const __m512 higher = _mm512_fmadd_ps(highest, byte, middle);
    const __m512 sum = _mm512_fmadd_ps(higher, byte, lowest);
    const __m512 start = adds ? _mm512_add_ps(bias, _mm512_loadu_ps(out)) : bias;
    const __m512 linear = _mm512_fmadd_ps(_mm512_mul_ps(sum, of_rows), scale, start);
    _mm512_storeu_ps(out, relu ? _mm512_max_ps(_mm512_setzero_ps(), linear) : linear);
  }
}

[[gnu::target("avx512f")]] void SlicedProduct::write(const float* row_scales, bool relu, float* out,
                                                     std::int64_t stride) const {
  const __m512 byte = _mm512_set1_ps(0x1p8F);
  const __m512 scale = _mm512_mul_ps(_mm512_loadu_ps(scales_), _mm512_set1_ps(0x1p16F));
  const __m512 bias = _mm512_loadu_ps(bias_);
  for (std::int64_t i = 0; i < rows_; ++i) {
    const __m512 lowest = _mm512_cvtepi32_ps(_mm512_load_si512(lowest_.row(i)));
    const __m512 middle = _mm512_cvtepi32_ps(_mm512_load_si512(middle_.row(i)));
    const __m512 highest = _mm512_cvtepi32_ps(_mm512_load_si512(highest_.row(i)));
    const __m512 higher = _mm512_fmadd_ps(highest, byte, middle);
    const __m512 sum = _mm512_fmadd_ps(higher, byte, lowest);
    // The scales are applied one after the other: their product could be too small for a float.
    const __m512 of_row = _mm512_mul_ps(sum, _mm512_set1_ps(row_scales[i]));
    const __m512 linear = _mm512_fmadd_ps(of_row, scale, bias);
    // Given NaN, the instruction returns its second operand, which is the sum.
    const __m512 value = relu ? _mm512_max_ps(_mm512_setzero_ps(), linear) : linear;
    _mm512_storeu_ps(out + i * stride, value);
  }
}

}  // namespace tandem
