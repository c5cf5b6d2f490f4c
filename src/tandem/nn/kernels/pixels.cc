#include "tandem/nn/kernels/pixels.h"

#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "tandem/base/cpu.h"
#include "tandem/nn/kernels/int8_slices.h"

namespace tandem {
namespace {

/// In common cases kChannels tells the compiler the number of channels, which makes the loop four
/// times as fast; 0: any number.
template <std::int64_t kChannels, class T>
void interleave(const T* image, std::int64_t channels, std::int64_t pixels, float scale, float mean,
                float* __restrict out) {
  if constexpr (kChannels > 0) channels = kChannels;
  for (std::int64_t p = 0; p < pixels; ++p) {
    for (std::int64_t c = 0; c < channels; ++c) {
      out[p * channels + c] = static_cast<float>(image[c * pixels + p]) * scale - mean;
    }
  }
}

template <class T>
void interleave_all(const std::byte* images, std::int64_t batch, std::int64_t channels,
                    std::int64_t pixels, float scale, float mean, float* out) {
  auto write = interleave<0, T>;
  if (channels == 1) write = interleave<1, T>;
  if (channels == 4) write = interleave<4, T>;
  if (channels == 16) write = interleave<16, T>;
  const auto* numbers = reinterpret_cast<const T*>(images);
  for (std::int64_t i = 0; i < batch; ++i) {
    const auto offset = i * channels * pixels;
    write(numbers + offset, channels, pixels, scale, mean, out + offset);
  }
}

template <int kPixels>
void convert(const std::uint8_t* bytes, float* __restrict out) {
  for (int i = 0; i < kPixels; ++i) out[i] = static_cast<float>(bytes[i]);
}

/// A bfloat16 is the upper half of a float; integers this small have only zeros in the lower half.
template <int kPixels>
void convert(const std::uint8_t* bytes, std::uint16_t* __restrict out) {
  std::array<float, kPixels> wide;
  convert<kPixels>(bytes, wide.data());
  const auto bits = std::bit_cast<std::array<std::uint32_t, kPixels>>(wide);
  for (int i = 0; i < kPixels; ++i) out[i] = static_cast<std::uint16_t>(bits[i] >> 16);
}

template <int kPixels>
void convert(const std::uint8_t* bytes, std::uint8_t* __restrict out) {
  std::memcpy(out, bytes, kPixels);
}

/// Converts one image, in runs of kRun pixels that lie together in `out`. A run consists of rows of
/// one cell in one channel, or of one cell in several channels.
template <std::int64_t kStride, std::int64_t kRun, class T>
void write_image(const std::uint8_t* image, const Cells& cells, std::int64_t block,
                 T* __restrict out) {
  constexpr auto kRows = kRun / kStride;
  constexpr auto kPixels = kStride * kStride;
  const auto columns = cells.columns();
  const auto plane = cells.rows() * columns;
  const auto picture = cells.height * cells.width;
  for (std::int64_t depth = 0; depth < cells.depth(); depth += kRun) {
    const auto* piece = image + depth / kPixels * picture + depth % kPixels / kStride * cells.width;
    T* to = out + depth / block * plane * block + depth % block;
    for (std::int64_t row = 0; row < cells.rows(); ++row, piece += kStride * cells.width) {
      for (std::int64_t column = 0; column < columns; ++column, to += block) {
        for (std::int64_t r = 0; r < kRows; ++r) {
          const auto* from = piece + r / kStride * picture + r % kStride * cells.width;
          convert<kStride>(from + column * kStride, to + r * kStride);
        }
      }
    }
  }
}

template <std::int64_t kStride, class T>
auto image_writer(std::int64_t block) {
  return block % 16 == 0 ? write_image<kStride, 16, T> : write_image<kStride, 8, T>;
}

template <class T>
void write_images(std::span<const std::byte> images, std::int64_t batch, const Cells& cells,
                  std::int64_t block, T* out) {
  const auto write = cells.stride == 4 ? image_writer<4, T>(block) : image_writer<2, T>(block);
  if (!cells.writable() || block % 8 != 0 || cells.depth() % block != 0) {
    throw std::logic_error("write_cells: no such cells");
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(images.data());
  for (std::int64_t i = 0; i < batch; ++i) {
    write(bytes + i * cells.channels * cells.height * cells.width, cells, block,
          out + i * cells.depth() * cells.rows() * cells.columns());
  }
}

}  // namespace

void scale_channels_last(std::span<const std::byte> images, std::int64_t batch,
                         std::int64_t channels, std::int64_t pixels, float* out) {
  write_numbers(images, DType::u8, batch, channels, pixels, 0, out);
}

void write_numbers(std::span<const std::byte> observations, DType dtype, std::int64_t batch,
                   std::int64_t channels, std::int64_t pixels, float mean, float* out) {
  if (dtype == DType::f32) {
    return interleave_all<float>(observations.data(), batch, channels, pixels, 1, 0, out);
  }
  interleave_all<std::uint8_t>(observations.data(), batch, channels, pixels, 1.0F / 255.0F, mean,
                               out);
}

std::vector<std::int64_t> Cells::weight_order() const {
  std::vector<std::int64_t> order;
  for (std::int64_t k = 0; k < depth() * reach() * reach(); ++k) {
    const auto place = k % (reach() * reach());
    const auto pixel = k / (reach() * reach()) % pixels();
    const auto channel = k / (reach() * reach()) / pixels();
    const auto row = place / reach() * stride + pixel / stride;
    const auto column = place % reach() * stride + pixel % stride;
    order.push_back((channel * kernel + row) * kernel + column);
  }
  return order;
}

bool Cells::writable() const {
  return (stride == 4 || stride == 2) && depth() % 8 == 0 && kernel % stride == 0 &&
         height >= kernel && width >= kernel;
}

void write_cells(std::span<const std::byte> images, std::int64_t batch, const Cells& cells,
                 std::int64_t block, float* out) {
  write_images(images, batch, cells, block, out);
}

void write_cells(std::span<const std::byte> images, std::int64_t batch, const Cells& cells,
                 std::int64_t block, std::uint16_t* out) {
  write_images(images, batch, cells, block, out);
}

void write_cells(std::span<const std::byte> images, std::int64_t batch, const Cells& cells,
                 std::int64_t block, std::uint8_t* out) {
  constexpr std::int64_t kRows = 16;
  const bool in_rows = cells.writable() && cells.stride == 4 && cells.depth() == 4 * kRows &&
                       block == cells.depth() && cells.columns() >= kRows;
  static const bool has_rows = best_simd() >= Simd::avx512;
  if (!in_rows || !has_rows) return write_images(images, batch, cells, block, out);
  // Sixteen rows of pixels, four from each of four channels, make one row of cells, in which each
  // cell has four bytes of every row.
  const auto* image = reinterpret_cast<const std::uint8_t*>(images.data());
  for (std::int64_t i = 0; i < batch; ++i, image += cells.channels * cells.height * cells.width) {
    for (std::int64_t first = 0; first < cells.rows() * 4; first += 4) {
      std::array<const std::uint8_t*, kRows> rows;
      for (std::int64_t row = 0; row < kRows; ++row) {
        rows[row] = image + (row / 4 * cells.height + first + row % 4) * cells.width;
      }
      transpose_rows(rows, cells.columns(), out);
      out += cells.columns() * cells.depth();
    }
  }
}

}  // namespace tandem
