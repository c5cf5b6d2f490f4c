// A table's content as bytes, for checkpoints.
#pragma once

#include "tandem/base/state.h"
#include "tandem/replay/table.h"

namespace tandem {

/// Gives the snapshot in pieces of some megabytes, of which each holds whole segments. May be
/// called while the table goes on.
GivePieces pieces_of(TableSnapshot snapshot);

/// Fills an empty table with what such pieces hold. Throws Error when they are of another format,
/// damaged or not all there.
void restore(Table& table, const GivePieces& pieces);

}  // namespace tandem
