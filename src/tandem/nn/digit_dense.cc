#include "tandem/nn/digit_dense.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

namespace tandem {
namespace {

constexpr std::int64_t kBlock = Tile::kRows;
constexpr std::int64_t kRowBytes = Tile::kRowBytes;

/// Sums of products of digits, by what they are worth.
struct Sums {
  Tile highest;                        // 2^32: d2 d2
  Tile middle;                         // 2^24: d2 d1 + d1 d2
  std::array<Tile, 2> lowest;          // 2^16: d2 d0 + d1 d1, and d0 d2
};

/// 16 samples and 16 outputs. Register 3 shares the work of 2, of which a product would otherwise
/// wait for the one before.
[[gnu::target("amx-tile,amx-int8")]] void multiply(const Tile* inputs, const Tile* weights,
                                                   std::int64_t spans, Sums& sums) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (std::int64_t span = 0; span < spans; ++span, inputs += kDigits, weights += kDigits) {
    _tile_loadd(4, weights[0].row(0), kRowBytes);
    _tile_loadd(5, weights[1].row(0), kRowBytes);
    _tile_loadd(6, weights[2].row(0), kRowBytes);
    _tile_loadd(7, inputs[2].row(0), kRowBytes);
    _tile_dpbssd(2, 7, 4);
    _tile_dpbssd(1, 7, 5);
    _tile_dpbssd(0, 7, 6);
    _tile_loadd(7, inputs[0].row(0), kRowBytes);
    _tile_dpbssd(3, 7, 6);
    _tile_loadd(7, inputs[1].row(0), kRowBytes);
    _tile_dpbssd(2, 7, 5);
    _tile_dpbssd(1, 7, 6);
  }
  _tile_stored(0, sums.highest.row(0), kRowBytes);
  _tile_stored(1, sums.middle.row(0), kRowBytes);
  _tile_stored(2, sums.lowest[0].row(0), kRowBytes);
  _tile_stored(3, sums.lowest[1].row(0), kRowBytes);
}

/// What the sums of `samples` samples are as floats, for 16 outputs.
struct Finish {
  const float* sample_scales;
  const float* scales;
  const float* bias;
  bool relu;

  [[gnu::target("avx512f")]] void operator()(const Sums& sums, std::int64_t samples, float* out,
                                             std::int64_t stride) const {
    const __m512 scale = _mm512_mul_ps(_mm512_loadu_ps(scales), _mm512_set1_ps(0x1p16F));
    const __m512 biases = _mm512_loadu_ps(bias);
    for (std::int64_t i = 0; i < samples; ++i) {
      const __m512i lowest = _mm512_add_epi32(_mm512_load_si512(sums.lowest[0].row(i)),
                                              _mm512_load_si512(sums.lowest[1].row(i)));
      const __m512 middle = _mm512_cvtepi32_ps(_mm512_load_si512(sums.middle.row(i)));
      const __m512 highest = _mm512_cvtepi32_ps(_mm512_load_si512(sums.highest.row(i)));
      const __m512 higher = _mm512_fmadd_ps(highest, _mm512_set1_ps(0x1p8F), middle);
      const __m512 sum =
          _mm512_fmadd_ps(higher, _mm512_set1_ps(0x1p8F), _mm512_cvtepi32_ps(lowest));
      const __m512 both = _mm512_mul_ps(scale, _mm512_set1_ps(sample_scales[i]));
      const __m512 linear = _mm512_fmadd_ps(sum, both, biases);
      // Where it is no number, the second of the two is the maximum.
      const __m512 value = relu ? _mm512_max_ps(_mm512_setzero_ps(), linear) : linear;
      _mm512_storeu_ps(out + i * stride, value);
    }
  }
};

/// From numbers of up to `largest` to whole ones; and back, or no number where `sum` is none.
struct Scale {
  float factor;
  float back;

  Scale(float largest, float sum) {
    constexpr float kNothing = 1e-30F;  // nothing is so small, and its factor is still a float
    const float scale = std::max(largest, kNothing) / kLargestWhole;
    factor = 1 / scale;
    back = std::isfinite(sum) ? scale : std::numeric_limits<float>::quiet_NaN();
  }
};

}  // namespace

bool DigitDense::supports(const ImageDense& shape) {
  return shape.channels % kBlock == 0 && shape.outputs % kBlock == 0;
}

DigitDense::DigitDense(const ImageDense& shape)
    : shape_(shape),
      spans_((shape.inputs() + kRowBytes - 1) / kRowBytes),
      weights_(shape.outputs / kBlock * spans_ * kDigits),
      scales_(shape.outputs),
      bias_(shape.outputs),
      rows_(shape.inputs() * kBlock),
      whole_rows_((shape.inputs() + 1) * kBlock),
      whole_(spans_ * kRowBytes) {
  // A vector of inputs is 16 channels of a place; a tile's row one channel of four vectors.
  for (std::int64_t i = 0; i < spans_ * kRowBytes; ++i) {
    const auto vector = i / kRowBytes * 4 + i % 4;
    const auto channel = vector / shape.places * kBlock + i % kRowBytes / 4;
    const auto input = channel * shape.places + vector % shape.places;
    order_.push_back(std::min(input, shape.inputs()) * kBlock);  // behind the last stands a 0
  }
}

void DigitDense::load(const float* weights, const float* bias) {
  const auto inputs = shape_.inputs();
  std::copy_n(bias, shape_.outputs, bias_.begin());
  for (std::int64_t block = 0; block < shape_.outputs / kBlock; ++block) {
    transpose_to_rows(weights + block * kBlock * inputs, inputs, inputs, rows_.data());
    std::array<float, kBlock> largest{}, sums{}, factors{};
    measure_rows(rows_.data(), inputs, largest.data(), sums.data());
    for (std::int64_t i = 0; i < kBlock; ++i) {
      const Scale scale(largest[i], sums[i]);
      factors[i] = scale.factor;
      scales_[block * kBlock + i] = scale.back;
    }
    to_whole(rows_.data(), inputs, factors.data(), whole_rows_.data());
    auto* tile = &weights_[block * spans_ * kDigits];
    const auto* at = order_.data();
    for (std::int64_t span = 0; span < spans_; ++span, tile += kDigits) {
      for (std::int64_t row = 0; row < kBlock; ++row, at += 4) {
        const auto* whole = whole_rows_.data();
        digits_of_four_rows({whole + at[0], whole + at[1], whole + at[2], whole + at[3]},
                            {tile[0].row(row), tile[1].row(row), tile[2].row(row)});
      }
    }
  }
}

/// A sample's digits, to row `row` of inputs_.
void DigitDense::read(const float* in, std::int64_t row) {
  std::array<float, kBlock> largest{}, sums{}, factors{};
  measure_rows(in, shape_.inputs() / kBlock, largest.data(), sums.data());
  const Scale scale(*std::ranges::max_element(largest),
                    std::accumulate(sums.begin(), sums.end(), 0.0F));
  factors.fill(scale.factor);
  sample_scales_[row] = scale.back;
  to_whole(in, shape_.inputs() / kBlock, factors.data(), whole_.data());
  auto* tile = &inputs_[row / kBlock * spans_ * kDigits];
  const auto at = row % kBlock;
  for (std::int64_t span = 0; span < spans_; ++span, tile += kDigits) {
    const auto* four = &whole_[span * kRowBytes];
    digits_of_four_rows({four, four + kBlock, four + 2 * kBlock, four + 3 * kBlock},
                        {tile[0].row(at), tile[1].row(at), tile[2].row(at)});
  }
}

void DigitDense::forward(std::int64_t batch, const float* in, float* out) {
  const auto blocks = (batch + kBlock - 1) / kBlock;
  inputs_.resize(std::max<std::size_t>(inputs_.size(), blocks * spans_ * kDigits));
  sample_scales_.resize(std::max<std::size_t>(sample_scales_.size(), blocks * kBlock));
  for (std::int64_t i = 0; i < batch; ++i) read(in + i * shape_.inputs(), i);
  // GCC 12's intrinsics do not say that they read memory.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const TileRegisters registers;
  Sums sums;
  for (std::int64_t output = 0; output < shape_.outputs; output += kBlock) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      const auto first = block * kBlock;
      multiply(&inputs_[block * spans_ * kDigits], &weights_[output / kBlock * spans_ * kDigits],
               spans_, sums);
      const Finish finish{&sample_scales_[first], &scales_[output], &bias_[output], shape_.relu};
      finish(sums, std::min(kBlock, batch - first), out + first * shape_.outputs + output,
             shape_.outputs);
    }
  }
}

}  // namespace tandem
