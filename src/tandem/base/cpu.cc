#include "tandem/base/cpu.h"

#include <cpuid.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// Whether the CPU has AMX's tiles of 8-bit integers, and Linux (5.16 and later) lets this process
/// use them. Their registers take eight kilobytes, so Linux gives them only to processes that ask.
bool may_use_amx() {
  constexpr unsigned kTiles = 1U << 24;
  constexpr unsigned kProductsOfBytes = 1U << 25;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & kTiles) == 0 || (d & kProductsOfBytes) == 0) return false;
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;
  static const bool granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
}

}  // namespace

std::string simd_name(Simd simd) {
  switch (simd) {
    case Simd::portable:
      return "portable";
    case Simd::avx2:
      return "avx2";
    case Simd::avx512:
      return "avx512";
    case Simd::amx:
      return "amx";
  }
  return "?";
}

std::vector<Simd> available_simd() {
  std::vector<Simd> available = {Simd::portable};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return available;
  available.push_back(Simd::avx2);
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vbmi");
  if (!has_avx512) return available;
  available.push_back(Simd::avx512);
  if (may_use_amx()) available.push_back(Simd::amx);
  return available;
}

Simd choose_simd(std::string_view wanted, std::span<const Simd> available) {
  if (wanted.empty()) return available.back();
  std::vector<std::string> names;
  for (const Simd simd : available) {
    if (simd_name(simd) == wanted) return simd;
    names.push_back(simd_name(simd));
  }
  throw Error(fmt::format("TANDEM_CPU={}: this CPU has {}; unset TANDEM_CPU for the fastest",
                          wanted, fmt::join(names, ", ")));
}

Simd best_simd() {
  const char* wanted = std::getenv("TANDEM_CPU");
  return choose_simd(wanted == nullptr ? "" : wanted, available_simd());
}

}  // namespace tandem
