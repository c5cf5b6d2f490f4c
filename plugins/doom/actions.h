// The discrete actions of a scenario's buttons.
#pragma once

#include <string>
#include <vector>

#include "game.h"

namespace tandem::doom {

/// An action: how the buttons are held meanwhile. Value type.
struct HeldButtons {
  std::string name;             // "move_left+attack"
  std::vector<double> amounts;  // one for each button
};

/// All actions: no button, then each set of at most `together` buttons, fewer first, and then, for
/// each button that turns or moves by an amount, `delta` and -`delta` a tic. Throws Error if there
/// are more than a policy can reasonably have.
[[nodiscard]] std::vector<HeldButtons> make_actions(const std::vector<Button>& buttons,
                                                    std::int64_t together, double delta);

}  // namespace tandem::doom
