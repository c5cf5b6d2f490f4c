// Numbers as whole ones of three slices, for products of bytes by AMX.
//
// A whole number here has 24 bits, as many as a float has, in three slices of -128 to 127:
// d0 + 2^8 d1 + 2^16 d2. Rows have sixteen numbers. All functions need Simd::amx, but for
// transpose_rows(), for which Simd::avx512 will do; all are pure and safe from many threads.
#pragma once

#include <array>
#include <cstdint>

namespace tandem {

constexpr std::int64_t kLanes = 16;  // numbers in a row
constexpr std::int64_t kSlices = 3;

/// From numbers of sizes up to `largest` to whole ones, and back; which makes no number where `sum`
/// is none. Value type.
struct WholeScale {
  WholeScale(float largest, float sum);

  float factor;
  float back;
};

/// Where the slices go, each to a place of its own.
using SlicePlaces = std::array<std::int8_t*, kSlices>;

/// Sixteen rows of numbers of 32 bits, wherever they lie, as columns [count, 16]. count: at least
/// 16.
void transpose_rows(const std::array<const std::uint8_t*, 16>& rows, std::int64_t count,
                    std::uint8_t* columns);

/// rows [count, 16] of the matrix [16, count] whose rows are `stride` floats apart. count: at
/// least 16.
void transpose_to_rows(const float* matrix, std::int64_t stride, std::int64_t count, float* rows);

/// Raises `largest` [16] to the largest sizes in the columns of rows [count, 16], and adds the
/// columns' sums to `sums` [16]. Only `sums` is guaranteed to propagate NaN.
void measure_rows(const float* rows, std::int64_t count, float* largest, float* sums);

/// That of all of rows [count, 16].
WholeScale one_scale(const float* rows, std::int64_t count);

/// The whole numbers nearest to rows [count, 16], each times the factor [16] of its column. Their
/// slices are in the lower three bytes, each as a signed byte.
void to_whole(const float* rows, std::int64_t count, const float* factors, std::int32_t* whole);

/// Of the whole numbers nearest to four rows of floats, as to_whole() makes them: each slice
/// [16, 4], 64 bytes.
void slices_of_four_rows(const std::array<const float*, 4>& rows, const float* factors,
                         const SlicePlaces& to);

/// The same of rows [count, 16], all by one factor, four by four: 64 bytes of each, `stride` bytes
/// behind those of the four before. Where the last four are fewer, the last row comes again.
void slices_of_fours(const float* rows, std::int64_t count, float factor, const SlicePlaces& to,
                     std::int64_t stride);

/// The same as slices [4, 16], one four behind the other, all of 64 bytes.
void slices_in_order(const float* rows, std::int64_t count, float factor, const SlicePlaces& to);

/// Of 64 rows of whole numbers: each slice of column i, 64 bytes, to `stride` bytes times i behind
/// its place.
void slices_of_columns(const std::int32_t* whole, const SlicePlaces& to, std::int64_t stride);

}  // namespace tandem
