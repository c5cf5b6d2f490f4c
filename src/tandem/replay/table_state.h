// The content of a table as bytes, for checkpoints.
#pragma once

#include "tandem/base/state.h"
#include "tandem/replay/table.h"

namespace tandem {

/// Gives the snapshot in pieces of some megabytes: a short description first, then whole segments.
/// May be called while the table is in use.
GivePieces pieces_of(TableSnapshot snapshot);

/// Fills an empty table from the pieces that pieces_of() gave. Throws Error when they have another
/// format, are damaged or are incomplete.
void restore(Table& table, const GivePieces& pieces);

}  // namespace tandem
