// Which vector instructions code may use on this CPU.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Sets of vector instructions that code is written for, each with those before it. The program is
/// built for `portable`, what every x86-64 CPU has; wider code is chosen at run time.
///
/// avx2: AVX2 and FMA (Haswell, Zen and later). avx512: AVX-512 F, BW, DQ, VL and VBMI (Ice Lake,
/// Zen 4 and later). amx: AMX's tiles of 8-bit integers (Sapphire Rapids and later).
enum class Simd { portable, avx2, avx512, amx };

/// As $TANDEM_CPU calls it. Pure, thread-safe.
std::string simd_name(Simd simd);

/// What this CPU and its operating system have, narrowest first. Asks the system for leave to use
/// AMX, for the whole process, where it wants to be asked (Linux). Thread-safe.
std::vector<Simd> available_simd();

/// The one of `available` that is called `wanted`, the widest when that is empty. Throws Error with
/// the names to choose from. Pure, thread-safe.
Simd choose_simd(std::string_view wanted, std::span<const Simd> available);

/// What to use here: the widest that this CPU has, or what $TANDEM_CPU names, which masks wider
/// ones. Throws Error when the CPU lacks it. Thread-safe as long as nobody changes the process's
/// environment variables.
Simd best_simd();

}  // namespace tandem
