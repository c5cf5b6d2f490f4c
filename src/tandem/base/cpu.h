// The vector instructions that code may use on this CPU.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Sets of vector instructions for which code is written; each includes those before it. The
/// program is built for `portable`, the instructions of every x86-64 CPU; wider code is chosen at
/// run time.
///
/// avx2: AVX2 and FMA (Haswell, Zen and later). avx512: AVX-512 F, BW, DQ, VL and VBMI (Ice Lake,
/// Zen 4 and later). amx: AMX's tiles of 8-bit integers (Sapphire Rapids and later).
enum class Simd { portable, avx2, avx512, amx };

/// The name of a set in $TANDEM_CPU. Pure, thread-safe.
std::string simd_name(Simd simd);

/// The sets that this CPU and its operating system have, narrowest first. Where the CPU has AMX,
/// the call asks Linux to permit it to the whole process. Thread-safe.
std::vector<Simd> available_simd();

/// The set in `available` with the name `wanted`, or the widest if `wanted` is empty. Throws Error,
/// which lists the available names, if there is no such set. Pure, thread-safe.
Simd choose_simd(std::string_view wanted, std::span<const Simd> available);

/// The set to use here: the one that $TANDEM_CPU names, or without that variable the widest that
/// this CPU has. Throws Error when the CPU lacks the named set. Thread-safe as long as nobody
/// changes the process's environment variables.
Simd best_simd();

}  // namespace tandem
