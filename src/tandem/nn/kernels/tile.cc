#include "tandem/nn/kernels/tile.h"

#include <immintrin.h>

#include <algorithm>

namespace tandem {
namespace {

/// The layout of the configuration in Intel's manual, volume 1, table 18-6 (palette 1).
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> row_bytes{};
  std::array<std::uint8_t, 16> rows{};
};

// A function of its own, because GCC 12 does not apply a constructor's target attribute to the
// intrinsics that it calls.
[[gnu::target("amx-tile")]] void configure(const TileConfiguration& configuration) {
  let_tiles_see_memory();
  _tile_loadconfig(&configuration);
}

[[gnu::target("amx-tile")]] void release() { _tile_release(); }

}  // namespace

TileRegisters::TileRegisters(std::int64_t rows) {
  constexpr int kRegisters = 8;
  TileConfiguration configuration;
  std::fill_n(configuration.row_bytes.begin(), kRegisters, Tile::kRowBytes);
  std::fill_n(configuration.rows.begin(), kRegisters, Tile::kRows);
  for (const auto i : {0, 1, 2, 7}) configuration.rows[i] = static_cast<std::uint8_t>(rows);
  configure(configuration);
}

TileRegisters::~TileRegisters() { release(); }

}  // namespace tandem
