// AMX's registers, which hold tiles: 16 rows of 64 bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tandem {

/// The content of such a register: 16 rows of 64 bytes, or of 16 integers of 32 bits. Value type.
struct alignas(64) Tile {
  static constexpr std::int64_t kRows = 16;
  static constexpr std::int64_t kRowBytes = 64;

  std::array<std::int8_t, std::size_t{kRows * kRowBytes}> bytes;

  [[nodiscard]] std::int8_t* row(std::int64_t i) { return bytes.data() + i * kRowBytes; }
  [[nodiscard]] const std::int8_t* row(std::int64_t i) const {
    return bytes.data() + i * kRowBytes;
  }
};

/// Must be called between writing memory and loading tiles from it: GCC 12's intrinsics do not
/// declare that they read memory, so the compiler could change the order.
inline void let_tiles_see_memory() { std::atomic_signal_fence(std::memory_order_seq_cst); }

/// Configures the calling thread's eight registers as tiles for the lifetime of this object. Needs
/// Simd::amx.
class TileRegisters {
 public:
  /// Registers 0 to 2 and 7, for products and their left factors, use only the first `rows` rows, 1
  /// to 16, because the time of a product grows with its rows. The other registers use whole tiles.
  explicit TileRegisters(std::int64_t rows = Tile::kRows);
  ~TileRegisters();
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;
};

}  // namespace tandem
