#include "tandem/nn/kernels/cell_convolution.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "tandem/nn/kernels/int8_slices.h"

namespace tandem {
namespace {

constexpr std::int64_t kBlock = Tile::kRows;
constexpr std::int64_t kRowBytes = Tile::kRowBytes;

/// The most products of a byte and a slice whose sum always fits 32 bits.
constexpr std::int64_t kMostProducts = std::numeric_limits<std::int32_t>::max() / (255 * 128);

std::int64_t rows_for(std::int64_t bytes) { return (bytes + kRowBytes - 1) / kRowBytes; }

/// The order of a filter's weights in the tiles: cell by cell of the kernel, each with its bytes in
/// the order of the image's cells.
std::vector<std::int64_t> order_of(const CellShape& shape) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < shape.filter_weights(); ++i) {
    order.push_back(i % shape.depth * shape.kernel() + i / shape.depth);
  }
  return order;
}

/// The forward pass of one sample, 16 places of the kernel at a time.
struct Forward {
  const CellShape& shape;
  const SlicedWeights& weights;

  /// The sums of each slice's products.
  struct Sums {
    std::array<Tile, kSlices> slices;
  };

  [[gnu::target("amx-tile,amx-int8")]] void multiply(const std::uint8_t* cells,
                                                     std::int64_t filter_block, Sums& sums) const {
    const auto pieces = rows_for(shape.reach * shape.depth);
    const auto* tile = weights.tiles(filter_block);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    for (std::int64_t row = 0; row < shape.reach; ++row, cells += shape.columns * shape.depth) {
      for (std::int64_t piece = 0; piece < pieces; ++piece, tile += kSlices) {
        _tile_loadd(3, cells + piece * kRowBytes, shape.depth);
        _tile_loadd(4, tile[0].row(0), kRowBytes);
        _tile_dpbusd(0, 3, 4);
        _tile_loadd(5, tile[1].row(0), kRowBytes);
        _tile_dpbusd(1, 3, 5);
        _tile_loadd(6, tile[2].row(0), kRowBytes);
        _tile_dpbusd(2, 3, 6);
      }
    }
    _tile_stored(0, sums.slices[0].row(0), kRowBytes);
    _tile_stored(1, sums.slices[1].row(0), kRowBytes);
    _tile_stored(2, sums.slices[2].row(0), kRowBytes);
  }

  /// Adds the bias, applies the ReLU and writes the outputs. Skips places at which the kernel would
  /// reach over the end of a row.
  [[gnu::target("avx512f")]] void finish(const Sums& sums, std::int64_t place,
                                         std::int64_t filter_block, float* out) const {
    const __m512 scale0 = _mm512_loadu_ps(weights.scales() + filter_block * kBlock);
    const __m512 scale1 = _mm512_mul_ps(scale0, _mm512_set1_ps(0x1p8F));
    const __m512 scale2 = _mm512_mul_ps(scale0, _mm512_set1_ps(0x1p16F));
    const __m512 biases = _mm512_loadu_ps(weights.bias() + filter_block * kBlock);
    const auto columns = shape.out_columns();
    auto row = place / shape.columns;
    auto column = place % shape.columns;
    for (std::int64_t i = 0; i < kBlock; ++i) {
      const __m512 low = _mm512_cvtepi32_ps(_mm512_load_si512(sums.slices[0].row(i)));
      const __m512 middle = _mm512_cvtepi32_ps(_mm512_load_si512(sums.slices[1].row(i)));
      const __m512 high = _mm512_cvtepi32_ps(_mm512_load_si512(sums.slices[2].row(i)));
      __m512 sum = _mm512_fmadd_ps(low, scale0, biases);
      sum = _mm512_fmadd_ps(high, scale2, _mm512_fmadd_ps(middle, scale1, sum));
      // Given NaN, the instruction returns its second operand, which is the sum.
      const __m512 relu = _mm512_max_ps(_mm512_setzero_ps(), sum);
      if (column < columns) _mm512_storeu_ps(out + (row * columns + column) * kBlock, relu);
      if (++column < shape.columns) continue;
      column = 0;
      ++row;
    }
  }

  void operator()(const std::uint8_t* cells, float* out) const {
    Sums sums;
    for (std::int64_t next = 0; next < shape.places(); next += kBlock) {
      const auto place = std::min(next, shape.places() - kBlock);
      for (std::int64_t block = 0; block < shape.filters / kBlock; ++block) {
        multiply(cells + place * shape.depth, block, sums);
        finish(sums, place, block, out + block * shape.outputs() * kBlock);
      }
    }
  }
};

/// Writes a sample's cells as tiles [spans, depth block]. Each row of a tile interleaves 16 bytes
/// of four cells.
[[gnu::target("avx512f,avx512bw,avx512vbmi")]] void interleave(const CellShape& shape,
                                                               const std::uint8_t* cells,
                                                               std::int64_t spans, Tile* tiles) {
  alignas(kRowBytes) std::array<std::uint8_t, kRowBytes> order;
  for (std::int64_t i = 0; i < kRowBytes; ++i) {
    order[i] = static_cast<std::uint8_t>(i % 4 * kBlock + i / 4);
  }
  const __m512i by_bytes = _mm512_load_si512(order.data());
  const auto blocks = shape.depth / kBlock;
  for (std::int64_t row = 0; row < spans * Tile::kRows; ++row) {
    std::array<const std::uint8_t*, 4> from;
    for (std::int64_t i = 0; i < 4; ++i) {  // repeats the last cell; gradients are 0 there
      from[i] = cells + std::min(4 * row + i, shape.cells() - 1) * shape.depth;
    }
    for (std::int64_t block = 0; block < blocks; ++block) {
      const auto at = block * kBlock;
      const auto* first = reinterpret_cast<const __m128i*>(from[0] + at);
      const auto* second = reinterpret_cast<const __m128i*>(from[1] + at);
      const auto* third = reinterpret_cast<const __m128i*>(from[2] + at);
      const auto* fourth = reinterpret_cast<const __m128i*>(from[3] + at);
      __m512i four = _mm512_castsi128_si512(_mm_loadu_si128(first));
      four = _mm512_inserti32x4(four, _mm_loadu_si128(second), 1);
      four = _mm512_inserti32x4(four, _mm_loadu_si128(third), 2);
      four = _mm512_inserti32x4(four, _mm_loadu_si128(fourth), 3);
      auto& tile = tiles[row / Tile::kRows * blocks + block];
      _mm512_store_si512(tile.row(row % Tile::kRows), _mm512_permutexvar_epi8(by_bytes, four));
    }
  }
}

/// Multiplies slices of the gradients of 16 filters by a sample's cells.
struct Products {
  std::int64_t stride;  // bytes from one row of the gradients to the next
  std::int64_t spans;
  std::int64_t depth_blocks;

  /// Adds the products for four blocks of depth, at one place of the kernel, to four sums, which
  /// lie kSlices tiles apart.
  [[gnu::target("amx-tile,amx-int8")]] void add_blocks(const std::int8_t* gradients,
                                                       const Tile* cells, Tile* sums) const {
    load(sums);
    for (std::int64_t span = 0; span < spans; ++span, cells += depth_blocks) {
      _tile_loadd(4, gradients + span * kRowBytes, stride);
      _tile_loadd(5, cells[0].row(0), kRowBytes);
      _tile_dpbsud(0, 4, 5);
      _tile_loadd(6, cells[1].row(0), kRowBytes);
      _tile_dpbsud(1, 4, 6);
      _tile_loadd(7, cells[2].row(0), kRowBytes);
      _tile_dpbsud(2, 4, 7);
      _tile_loadd(5, cells[3].row(0), kRowBytes);
      _tile_dpbsud(3, 4, 5);
    }
    store(sums);
  }

  /// Adds the products for one block of depth, at four places of the kernel, to four sums, which
  /// lie kSlices tiles apart.
  [[gnu::target("amx-tile,amx-int8")]] void add_places(
      const std::array<const std::int8_t*, 4>& gradients, const Tile* cells, Tile* sums) const {
    load(sums);
    for (std::int64_t span = 0; span < spans; ++span, cells += depth_blocks) {
      _tile_loadd(4, cells[0].row(0), kRowBytes);
      _tile_loadd(5, gradients[0] + span * kRowBytes, stride);
      _tile_dpbsud(0, 5, 4);
      _tile_loadd(6, gradients[1] + span * kRowBytes, stride);
      _tile_dpbsud(1, 6, 4);
      _tile_loadd(7, gradients[2] + span * kRowBytes, stride);
      _tile_dpbsud(2, 7, 4);
      _tile_loadd(5, gradients[3] + span * kRowBytes, stride);
      _tile_dpbsud(3, 5, 4);
    }
    store(sums);
  }

 private:
  [[gnu::target("amx-tile")]] static void load(const Tile* sums) {
    _tile_loadd(0, sums[0].row(0), kRowBytes);
    _tile_loadd(1, sums[kSlices].row(0), kRowBytes);
    _tile_loadd(2, sums[2 * kSlices].row(0), kRowBytes);
    _tile_loadd(3, sums[3 * kSlices].row(0), kRowBytes);
  }

  [[gnu::target("amx-tile")]] static void store(Tile* sums) {
    _tile_stored(0, sums[0].row(0), kRowBytes);
    _tile_stored(1, sums[kSlices].row(0), kRowBytes);
    _tile_stored(2, sums[2 * kSlices].row(0), kRowBytes);
    _tile_stored(3, sums[3 * kSlices].row(0), kRowBytes);
  }
};

}  // namespace

bool CellConvolution::supports(const CellShape& shape) {
  const auto depth_blocks = shape.depth / kBlock;
  return shape.outputs() <= kMostProducts && shape.filter_weights() <= kMostProducts &&
         shape.filters % kBlock == 0 && shape.depth % kBlock == 0 &&
         shape.reach * shape.depth % kRowBytes == 0 &&
         (depth_blocks % 4 == 0 || (depth_blocks == 1 && shape.kernel() % 4 == 0)) &&
         shape.out_rows() > 0 && shape.out_columns() > 0 && shape.places() >= kBlock;
}

CellConvolution::CellConvolution(const CellShape& shape)
    : shape_(shape),
      filter_blocks_(shape.filters / kBlock),
      depth_blocks_(shape.depth / kBlock),
      spans_(rows_for(shape.cells())),
      margin_(rows_for((shape.reach - 1) * (shape.columns + 1)) * kRowBytes),
      weights_(shape.filters, shape.filter_weights(), order_of(shape)),
      factors_(shape.filters),
      scales_(shape.filters),
      whole_(spans_ * kRowBytes * kBlock),
      slices_(kSlices * kBlock * (margin_ + spans_ * kRowBytes)),
      cells_(spans_ * depth_blocks_),
      sums_(filter_blocks_ * shape.kernel() * depth_blocks_ * kSlices) {}

void CellConvolution::forward(std::int64_t batch, const std::uint8_t* cells, float* out) const {
  const TileRegisters registers;
  const Forward sample{shape_, weights_};
  for (std::int64_t i = 0; i < batch; ++i) {
    sample(cells + i * shape_.cells() * shape_.depth, out + i * shape_.outputs() * shape_.filters);
  }
}

void CellConvolution::backward(std::int64_t batch, const std::uint8_t* cells, const float* d_linear,
                               float* d_weights, float* d_bias) {
  const std::span weights(d_weights, shape_.filters * shape_.filter_weights());
  const std::span bias(d_bias, shape_.filters);
  std::ranges::fill(weights, 0.0F);
  std::ranges::fill(bias, 0.0F);
  // The sums of more samples might not fit 32 bits.
  const auto most = kMostProducts / shape_.outputs();
  for (std::int64_t first = 0; first < batch; first += most) {
    add_gradients(std::min(most, batch - first), cells + first * shape_.cells() * shape_.depth,
                  d_linear + first * shape_.outputs() * shape_.filters, weights, bias);
  }
}

void CellConvolution::add_gradients(std::int64_t batch, const std::uint8_t* cells,
                                    const float* d_linear, std::span<float> d_weights,
                                    std::span<float> d_bias) {
  const auto outputs = shape_.outputs();
  const auto rows_of = [&](std::int64_t sample, std::int64_t filter_block) {
    return d_linear + (sample * filter_blocks_ + filter_block) * outputs * kBlock;
  };
  std::ranges::fill(factors_, 0.0F);
  for (std::int64_t i = 0; i < batch; ++i) {
    for (std::int64_t block = 0; block < filter_blocks_; ++block) {
      measure_rows(rows_of(i, block), outputs, &factors_[block * kBlock], &d_bias[block * kBlock]);
    }
  }
  for (std::int64_t i = 0; i < shape_.filters; ++i) {
    const WholeScale scale(factors_[i], d_bias[i]);
    factors_[i] = scale.factor;
    scales_[i] = scale.back;
  }
  std::ranges::fill(sums_, Tile{});
  const TileRegisters registers;
  for (std::int64_t i = 0; i < batch; ++i) {
    interleave(shape_, cells + i * shape_.cells() * shape_.depth, spans_, cells_.data());
    for (std::int64_t block = 0; block < filter_blocks_; ++block) {
      for (std::int64_t row = 0; row < shape_.out_rows(); ++row) {
        const auto columns = shape_.out_columns();
        to_whole(rows_of(i, block) + row * columns * kBlock, columns, &factors_[block * kBlock],
                 &whole_[row * shape_.columns * kBlock]);
      }
      add_products(block);
    }
  }
  add_sums(d_weights);
}

/// Adds the products of the gradients in whole_ and the cells in cells_ to sums_.
void CellConvolution::add_products(std::int64_t filter_block) {
  const auto stride = margin_ + spans_ * kRowBytes;
  std::array<std::int8_t*, kSlices> rows;
  for (std::int64_t slice = 0; slice < kSlices; ++slice) {
    rows[slice] = &slices_[slice * kBlock * stride + margin_];
  }
  for (std::int64_t span = 0; span < spans_; ++span) {
    const auto at = span * kRowBytes;
    slices_of_columns(&whole_[at * kBlock], {rows[0] + at, rows[1] + at, rows[2] + at}, stride);
  }
  let_tiles_see_memory();

  // A kernel at place p of the image has its cell `place` on the image's cell p + cell(place), so
  // the gradients are read from cell(place) bytes earlier.
  const auto cell = [&](std::int64_t place) {
    return place / shape_.reach * shape_.columns + place % shape_.reach;
  };
  const Products products{stride, spans_, depth_blocks_};
  auto* sums = &sums_[filter_block * shape_.kernel() * depth_blocks_ * kSlices];
  for (std::int64_t first = 0; first < shape_.kernel() * depth_blocks_; first += 4) {
    const auto place = first / depth_blocks_;
    const auto* cells = &cells_[first % depth_blocks_];
    for (std::int64_t slice = 0; slice < kSlices; ++slice) {
      const auto* row = rows[slice];
      auto* four = sums + first * kSlices + slice;
      if (depth_blocks_ > 1) {
        products.add_blocks(row - cell(place), cells, four);
      } else {
        products.add_places({row - cell(place), row - cell(place + 1), row - cell(place + 2),
                             row - cell(place + 3)},
                            cells, four);
      }
    }
  }
}

/// Converts sums_ back to floats, and adds them to `d_weights`.
void CellConvolution::add_sums(std::span<float> d_weights) const {
  constexpr std::array kWorth{0x1p0F, 0x1p8F, 0x1p16F};
  const auto* tile = sums_.data();
  for (std::int64_t block = 0; block < filter_blocks_; ++block) {
    for (std::int64_t part = 0; part < shape_.kernel() * depth_blocks_; ++part, tile += kSlices) {
      const auto place = part / depth_blocks_;
      const auto first = part % depth_blocks_ * kBlock;
      for (std::int64_t row = 0; row < kBlock; ++row) {
        const auto filter = block * kBlock + row;
        std::array<float, kBlock> sums{};
        for (std::int64_t slice = 0; slice < kSlices; ++slice) {
          std::array<std::int32_t, kBlock> whole;
          std::memcpy(whole.data(), tile[slice].row(row), sizeof(whole));
          for (std::int64_t i = 0; i < kBlock; ++i) {
            sums[i] += kWorth[slice] * static_cast<float>(whole[i]);
          }
        }
        auto* to = &d_weights[filter * shape_.filter_weights() + first * shape_.kernel() + place];
        for (std::int64_t i = 0; i < kBlock; ++i)
          to[i * shape_.kernel()] += scales_[filter] * sums[i];
      }
    }
  }
}

}  // namespace tandem
