// Networks whose answer to a sample does not depend on the others of its batch.
#pragma once

#include <memory>

#include "tandem/nn/network.h"

namespace tandem {

/// `inner`, given one sample at a time: libraries choose how they sum by the size of a batch, and
/// so the last bits of a row by how many rows share it. One row alone always goes the same way.
/// Otherwise as `inner`; not thread-safe.
std::unique_ptr<Network> make_row_by_row(std::unique_ptr<Network> inner);

}  // namespace tandem
