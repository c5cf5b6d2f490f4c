// One race of TORCS, by its race engine.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../protocol.h"
#include "scene.h"
#include "view.h"

struct CarElt;

namespace tandem::torcs {

/// A race with an agent's car, behind its opponents if it has some. TORCS keeps its state in global
/// variables, so a process has one. Throws std::runtime_error with words for the user.
class Race {
 public:
  explicit Race(const RaceOrder& order);

  /// Holds an action for some turns.
  [[nodiscard]] Report drive(const DrivingOrder& order);

  /// The driver's view: red, green and blue of each pixel, the top row first.
  [[nodiscard]] std::vector<std::uint8_t> draw(const PictureSize& size);

 private:
  CarElt* car_ = nullptr;
  std::vector<Slice> slices_;
  std::unique_ptr<View> view_;
  PictureSize size_;
};

}  // namespace tandem::torcs
