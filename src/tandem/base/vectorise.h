// Compiles one loop for every set of vector instructions.
#pragma once

#include "tandem/base/cpu.h"

namespace tandem {

template <class Body>
[[gnu::flatten, gnu::target("avx2")]] void with_avx2(const Body& body) {
  body();
}

template <class Body>
[[gnu::flatten, gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void with_avx512(
    const Body& body) {
  body();
}

/// Calls `body`, compiled for the widest vector instructions that best_simd() allows; the compiler
/// vectorises the loops in it. Results do not depend on the instructions, provided the iterations
/// of a loop are independent, because the build fuses a product with a sum only in the files that
/// CMakeLists.txt names. As thread-safe as `body`.
template <class Body>
void vectorise(const Body& body) {
  static const Simd simd = best_simd();
  switch (simd) {
    case Simd::portable:
      return body();
    case Simd::avx2:
      return with_avx2(body);
    case Simd::avx512:
    case Simd::amx:
      return with_avx512(body);
  }
}

}  // namespace tandem
