// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// Turns two Atari screens into one 84 x 84 observation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "row_kernel.h"
#include "tandem/base/cpu.h"

namespace tandem::atari {

/// Computes gray levels, the brighter of two screens pixel by pixel (which shows objects that the
/// console draws only every other frame), and the area resize to 84 x 84, in one pass over the
/// rows. Equals OpenCV's INTER_AREA in every bit, with any vector instructions. Immutable, so one
/// may serve any number of threads.
class Observer {
 public:
  /// `height`: rows of the screens, 84 to 336; throws std::invalid_argument for others.
  Observer(int height, const GrayLevels& levels, Simd simd);

  /// Takes two screens of height * 160 palette indices, which may be the same; writes kSide * kSide
  /// bytes.
  void operator()(const std::uint8_t* first, const std::uint8_t* second,
                  std::uint8_t* observation) const;

 private:
  static constexpr int kMostTaps = 5;  // source rows under one row of an observation

  struct Taps {  // `count` source rows from, from + 1, ... with their weights
    int from = 0;
    int count = 0;
    std::array<float, kMostTaps> weights{};
  };

  std::array<Taps, kSide> rows_{};
  std::unique_ptr<RowKernel> kernel_;
};

/// Replaces each pixel of `screen` with its counterpart in `other` if that is brighter.
void keep_brighter(std::span<std::uint8_t> screen, std::span<const std::uint8_t> other,
                   const GrayLevels& levels);

}  // namespace tandem::atari
