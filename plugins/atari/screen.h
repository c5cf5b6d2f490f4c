// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// The emulator's screen: rows of 160 palette indices, a byte each.
#pragma once

#include <array>
#include <cstdint>

namespace tandem::atari {

inline constexpr int kScreenWidth = 160;

/// The gray level of each palette index.
using GrayLevels = std::array<std::uint8_t, 256>;

}  // namespace tandem::atari
