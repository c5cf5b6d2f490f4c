// Whole numbers of three slices, for products of bytes with AMX.
//
// A whole number here has 24 bits, as many as a float's mantissa, in three slices of -128 to 127:
// d0 + 2^8 d1 + 2^16 d2. Rows have sixteen numbers. All functions need Simd::amx, except
// transpose_rows(), which needs Simd::avx512. All are stateless and safe to call from many threads.
#pragma once

#include <array>
#include <cstdint>

namespace tandem {

constexpr std::int64_t kLanes = 16;  // numbers in a row
constexpr std::int64_t kSlices = 3;

/// Factors from numbers of absolute values up to `largest` to whole numbers, and back. `sum` is the
/// sum of these numbers; if it is NaN or infinite, the factor back is NaN. Value type.
struct WholeScale {
  WholeScale(float largest, float sum);

  float factor;
  float back;
};

/// The addresses to which three slices are written.
using SlicePlaces = std::array<std::int8_t*, kSlices>;

/// Transposes sixteen rows of 32-bit numbers, wherever they lie, to columns [count, 16]. count: at
/// least 16.
void transpose_rows(const std::array<const std::uint8_t*, 16>& rows, std::int64_t count,
                    std::uint8_t* columns);

/// Transposes the matrix [16, count], whose rows are `stride` floats apart, to rows [count, 16].
/// count: at least 16.
void transpose_to_rows(const float* matrix, std::int64_t stride, std::int64_t count, float* rows);

/// Raises `largest` [16] to the largest absolute values in the columns of rows [count, 16], and
/// adds the columns' sums to `sums` [16]. Only `sums` is guaranteed to propagate NaN.
void measure_rows(const float* rows, std::int64_t count, float* largest, float* sums);

/// One scale for all of rows [count, 16].
WholeScale one_scale(const float* rows, std::int64_t count);

/// Writes the whole numbers nearest to rows [count, 16], each times the factor [16] of its column.
/// The slices of a whole number are in its lower three bytes, each as a signed byte.
void to_whole(const float* rows, std::int64_t count, const float* factors, std::int32_t* whole);

/// Writes the slices of the whole numbers nearest to four rows of floats, as to_whole() makes them:
/// [16, 4] for each slice, 64 bytes.
void slices_of_four_rows(const std::array<const float*, 4>& rows, const float* factors,
                         const SlicePlaces& to);

/// The same for rows [count, 16] with one factor, four rows at a time: each group of four rows
/// gives 64 bytes, and the groups lie `stride` bytes apart. If the last group has fewer than four
/// rows, the last row is repeated.
void slices_of_fours(const float* rows, std::int64_t count, float factor, const SlicePlaces& to,
                     std::int64_t stride);

/// Like slices_of_fours(), but writes each group of four rows as [4, 16], and one group directly
/// after the other.
void slices_in_order(const float* rows, std::int64_t count, float factor, const SlicePlaces& to);

/// Writes the slices of 64 rows of whole numbers, column by column. Each slice of column i, 64
/// bytes, is written i * stride bytes after the slice's address in `to`.
void slices_of_columns(const std::int32_t* whole, const SlicePlaces& to, std::int64_t stride);

}  // namespace tandem
