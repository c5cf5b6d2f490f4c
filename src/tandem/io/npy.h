// Arrays in NumPy's .npy files, format version 1.0, little endian, C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace tandem {

enum class NpyType { boolean, u8, i32, i64, f32 };

[[nodiscard]] std::size_t item_bytes(NpyType type);

/// A whole array in memory. Value type.
struct NpyArray {
  NpyType type = NpyType::u8;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;  // row-major

  /// The item at a flat index as a double, for every type; exact below 2^53.
  [[nodiscard]] double at(std::size_t index) const;
};

/// Reads a whole array. Throws Error, which names the file, when it cannot be read, is not a .npy
/// file of these types, or has fewer items than its shape.
[[nodiscard]] NpyArray read_npy(const std::filesystem::path& file);

/// Writes an array row by row; its shape becomes {rows, ...row_shape}. Until close() the file has
/// `.part` after its name, and without close() that one stays, whose header has no rows. Not
/// thread-safe. Throws Error when the file cannot be written.
class NpyWriter {
 public:
  NpyWriter(std::filesystem::path file, NpyType type, std::vector<std::int64_t> row_shape);

  void write(std::span<const std::byte> bytes);

  /// Writes the number of rows into the file's header and gives the file its name. Throws
  /// std::logic_error if the last row is incomplete.
  void close();

 private:
  void check() const;

  std::filesystem::path file_;
  std::ofstream stream_;
  NpyType type_;
  std::vector<std::int64_t> row_shape_;
  std::size_t bytes_ = 0;  // of all rows so far
};

}  // namespace tandem
