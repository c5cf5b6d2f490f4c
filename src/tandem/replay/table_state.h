// The content of a table as bytes, for checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/replay/table.h"

namespace tandem {

/// Turns a snapshot into pieces of some megabytes: a short description first, then whole segments.
/// The table may be in use meanwhile. Not thread-safe.
class SnapshotPieces {
 public:
  explicit SnapshotPieces(TableSnapshot snapshot) : snapshot_(std::move(snapshot)) {}

  /// The next piece; nothing after the last.
  std::optional<std::vector<std::byte>> next();

 private:
  TableSnapshot snapshot_;
  std::size_t next_ = 0;  // the first transition of the next piece
  bool described_ = false;
};

/// Fills an empty table from such pieces. Not thread-safe.
class TableRestorer {
 public:
  /// `table` must outlive it, and serve nobody else until finish().
  explicit TableRestorer(Table& table) : table_(table) {}

  /// Takes the next piece. Throws Error when it is damaged or of another format.
  void take(std::span<const std::byte> piece);

  /// Call it after the last piece. Throws Error when some are missing.
  void finish();

 private:
  Table& table_;
  std::optional<TableCounts> counts_;  // empty before the first piece
  std::int64_t transitions_ = 0;       // that the saved table held
  std::int64_t restored_ = 0;
  bool has_keys_ = false;
};

/// Gives the pieces of the snapshot. May be called while the table is in use.
GivePieces pieces_of(TableSnapshot snapshot);

/// Fills an empty table from the pieces that pieces_of() gave. Throws Error when they have another
/// format, are damaged or are incomplete.
void restore(Table& table, const GivePieces& pieces);

}  // namespace tandem
