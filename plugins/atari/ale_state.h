// SPDX-License-Identifier: Apache-2.0
// (The built plug-in links GPL-2.0-only ALE; see README.md.)
//
// The whole state of an emulated console: ALE's own save, and the parts that it leaves out.
#pragma once

#include "tandem/base/state.h"

namespace ale {
class ALEInterface;
}

namespace tandem::atari::TANDEM_EMULATOR {

/// ALE's saved states leave out the pictures (a short frame shows rows of the frame before the
/// last), the progress of an unfinished frame, the masks by which objects are drawn, and the action
/// that a sticky frame repeats. These functions save them, too, so that a loaded game continues
/// with the same bits. The game must be the same; load throws Error when the state cannot belong to
/// it. Not thread-safe.
void save_ale(ale::ALEInterface& ale, StateWriter& writer);
void load_ale(ale::ALEInterface& ale, StateReader& reader);

}  // namespace tandem::atari::TANDEM_EMULATOR
