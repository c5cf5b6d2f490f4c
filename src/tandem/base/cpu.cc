#include "tandem/base/cpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "tandem/base/error.h"

namespace tandem {

std::string simd_name(Simd simd) {
  switch (simd) {
    case Simd::portable:
      return "portable";
    case Simd::avx2:
      return "avx2";
    case Simd::avx512:
      return "avx512";
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
  if (has_avx512) available.push_back(Simd::avx512);
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
