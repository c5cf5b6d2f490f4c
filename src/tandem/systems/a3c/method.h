// A3C's own words for what is learned.
#pragma once

#include "tandem/io/settings.h"

namespace tandem {

/// A3C's paper calls the algorithm a method, and the advantage actor-critic "A3C" where threads run
/// it. Such a setting in the words of all other systems (algo, a2c); others as they are. Pure.
[[nodiscard]] Setting in_our_words(Setting setting);

}  // namespace tandem
