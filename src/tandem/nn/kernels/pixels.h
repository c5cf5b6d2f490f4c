// Converts images to the layouts that networks need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/env/env.h"

namespace tandem {

/// Turns u8 images [batch, channels, pixels] into floats [batch, pixels, channels] (channels last),
/// divided by 255. Stateless; safe to call from many threads.
void scale_channels_last(std::span<const std::byte> images, std::int64_t batch,
                         std::int64_t channels, std::int64_t pixels, float* out);

/// Converts observations of `channels` planes of `pixels` numbers each, bytes or floats as `dtype`
/// says, to floats [batch, pixels, channels] (channels last). Bytes are divided by 255, and then
/// `mean` is subtracted. A vector is one channel. Stateless; safe to call from many threads.
void write_numbers(std::span<const std::byte> observations, DType dtype, std::int64_t batch,
                   std::int64_t channels, std::int64_t pixels, float mean, float* out);

/// Turns a convolution whose kernel is a multiple of its stride into one of stride 1 over cells:
/// the stride x stride pixels of a cell become channels. The sums are the same, and there are
/// enough channels for SIMD even if images have few. Value type.
struct Cells {
  std::int64_t channels = 0, height = 0, width = 0;  // of an image
  std::int64_t kernel = 0, stride = 0;

  [[nodiscard]] std::int64_t pixels() const { return stride * stride; }  // of a cell
  [[nodiscard]] std::int64_t depth() const { return channels * pixels(); }
  [[nodiscard]] std::int64_t reach() const { return kernel / stride; }  // of the kernel, in cells
  /// Pixels beyond the last place of the kernel are in no cell.
  [[nodiscard]] std::int64_t rows() const { return (height - kernel) / stride + reach(); }
  [[nodiscard]] std::int64_t columns() const { return (width - kernel) / stride + reach(); }

  /// Whether write_cells() supports these cells: their stride must be 4, as in Atari's networks, or
  /// 2, and their depth a multiple of 8. The kernel must fit the image and be a multiple of the
  /// stride.
  [[nodiscard]] bool writable() const;

  /// For each weight of a filter over cells {depth, reach, reach}, the index of the same weight in
  /// the filter over pixels {channels, kernel, kernel}.
  [[nodiscard]] std::vector<std::int64_t> weight_order() const;
};

/// Turns u8 images [batch, channels, height, width] into cells [batch, depth / block, rows,
/// columns, block] of numbers from 0 to 255: as floats, as the bits of bfloat16, which holds them
/// exactly, or as bytes. block: a multiple of 8 that divides depth. Throws std::logic_error when
/// the cells are not writable. Stateless; safe to call from many threads.
void write_cells(std::span<const std::byte> images, std::int64_t batch, const Cells& cells,
                 std::int64_t block, float* out);
void write_cells(std::span<const std::byte> images, std::int64_t batch, const Cells& cells,
                 std::int64_t block, std::uint16_t* out);
void write_cells(std::span<const std::byte> images, std::int64_t batch, const Cells& cells,
                 std::int64_t block, std::uint8_t* out);

}  // namespace tandem
