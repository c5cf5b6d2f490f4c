#include "tandem/study/core_peak.h"

#include <immintrin.h>

#include <atomic>
#include <cstddef>
#include <latch>
#include <vector>

#include "tandem/base/clock.h"
#include "tandem/base/cpu.h"
#include "tandem/base/median.h"
#include "tandem/sync/crew.h"

namespace tandem {
namespace {

// Each sum waits for the one before it, four or five cycles, while a core begins two products a
// cycle. Twelve independent sums keep it busy, and fit into AVX2's 16 registers.
constexpr std::size_t kSums = 12;
constexpr int kRounds = 800'000;   // about a millisecond
constexpr double kOperations = 2;  // a product and a sum

/// The sums start differently. If they were equal, a compiler could compute one for all of them.
float start(std::size_t sum) { return static_cast<float>(sum); }

/// Does `kRounds` times `kSums` vector instructions; returns how many operations these were. The
/// result goes to `sink`, so that the compiler cannot leave the work out.
using Loop = double (*)(float factor, std::atomic<float>& sink);

[[gnu::target("sse2")]] double with_sse(float factor, std::atomic<float>& sink) {
  __m128 sums[kSums];
  for (std::size_t j = 0; j < kSums; ++j) sums[j] = _mm_set1_ps(start(j));
  const __m128 x = _mm_set1_ps(factor);
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm_add_ps(_mm_mul_ps(sum, x), x);
  }
  for (const auto& sum : sums) sink = sink + _mm_cvtss_f32(sum);
  return kOperations * 4 * kSums * kRounds;
}

[[gnu::target("avx2,fma")]] double with_avx2_products(float factor, std::atomic<float>& sink) {
  __m256 sums[kSums];
  for (std::size_t j = 0; j < kSums; ++j) sums[j] = _mm256_set1_ps(start(j));
  const __m256 x = _mm256_set1_ps(factor);
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm256_fmadd_ps(x, x, sum);
  }
  for (const auto& sum : sums) sink = sink + _mm256_cvtss_f32(sum);
  return kOperations * 8 * kSums * kRounds;
}

[[gnu::target("avx512f")]] double with_avx512_products(float factor, std::atomic<float>& sink) {
  __m512 sums[kSums];
  for (std::size_t j = 0; j < kSums; ++j) sums[j] = _mm512_set1_ps(start(j));
  const __m512 x = _mm512_set1_ps(factor);
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_fmadd_ps(x, x, sum);
  }
  for (const auto& sum : sums) sink = sink + _mm512_cvtss_f32(sum);
  return kOperations * 16 * kSums * kRounds;
}

[[gnu::target("avx512f,avx512bf16")]] double with_bf16_products(float factor,
                                                                std::atomic<float>& sink) {
  __m512 sums[kSums];
  for (std::size_t j = 0; j < kSums; ++j) sums[j] = _mm512_set1_ps(start(j));
  const __m512bh x = _mm512_cvtne2ps_pbh(_mm512_set1_ps(factor), _mm512_set1_ps(factor));
  for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm512_dpbf16_ps(sum, x, x);
  }
  for (const auto& sum : sums) sink = sink + _mm512_cvtss_f32(sum);
  return kOperations * 32 * kSums * kRounds;
}

Loop loop_for(Precision precision) {
  switch (best_simd()) {
    case Simd::portable:
      return with_sse;
    case Simd::avx2:
      return with_avx2_products;
    case Simd::avx512:
    case Simd::amx:
      break;
  }
  const bool has_bf16 = __builtin_cpu_supports("avx512bf16");
  return precision == Precision::bf16 && has_bf16 ? with_bf16_products : with_avx512_products;
}

/// The median rate of many turns on the calling thread's core.
double peak(Loop loop, double seconds) {
  std::atomic<float> sink = 0;
  std::vector<double> rates;
  const Stopwatch watch;
  do {
    const double begin = watch.seconds();
    const double operations = loop(1e-3F, sink);
    rates.push_back(operations / (watch.seconds() - begin));
  } while (watch.seconds() < seconds);
  return median(rates);
}

}  // namespace

double measure_core_peak(Precision precision, int cores, double seconds) {
  const Loop loop = loop_for(precision);
  std::vector<double> peaks(static_cast<std::size_t>(cores));
  std::latch all_here(cores);  // so that none works alone
  Crew crew;
  crew.spawn("peak", cores, [&](int core) {
    all_here.arrive_and_wait();
    peaks[static_cast<std::size_t>(core)] = peak(loop, seconds);
  });
  crew.join();
  double sum = 0;
  for (const double each : peaks) sum += each;
  return sum / cores;
}

}  // namespace tandem
