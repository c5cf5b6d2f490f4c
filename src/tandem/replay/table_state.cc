#include "tandem/replay/table_state.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

/// The first piece's description of the whole state.
struct Head {
  FrameFormat format;
  std::int64_t transitions = 0;
  TableCounts counts = {};

  void save(StateWriter& writer) const {
    writer.put(static_cast<std::uint64_t>(format.frame_bytes));
    writer.put(format.stack);
    writer.put(static_cast<std::uint64_t>(format.action_dims));
    writer.put(format.width);
    writer.put(static_cast<std::int32_t>(format.compression));
    writer.put(transitions);
    writer.put(counts.inserted);
    writer.put(counts.sampled);
    writer.put(counts.unread);
    counts.stream.save(writer);
  }

  static Head load(StateReader& reader) {
    Head head;
    head.format.frame_bytes = reader.get<std::uint64_t>();
    head.format.stack = reader.get<std::int64_t>();
    head.format.action_dims = reader.get<std::uint64_t>();
    head.format.width = reader.get<std::int64_t>();
    head.format.compression = static_cast<Compression>(reader.get<std::int32_t>());
    head.transitions = reader.get<std::int64_t>();
    head.counts.inserted = reader.get<std::int64_t>();
    head.counts.sampled = reader.get<std::int64_t>();
    head.counts.unread = reader.get<std::int64_t>();
    head.counts.stream.load(reader);
    return head;
  }
};

/// The number of transitions from `first` on that belong to one segment. A segment's transitions
/// are adjacent, because they were added together.
std::size_t of_one_segment(std::span<const TransitionIndex::Found> all, std::size_t first) {
  std::size_t count = 1;
  while (first + count < all.size() && all[first + count].segment == all[first].segment) {
    count += 1;
  }
  return count;
}

void save_segment(std::span<const TransitionIndex::Found> held, StateWriter& writer) {
  held.front().segment->save(writer);
  writer.put(static_cast<std::uint32_t>(held.size()));
  for (const auto& found : held) {
    writer.put(KeptTransition{.transition = found.transition, .priority = found.priority});
  }
}

/// Loads one segment into the table. Returns the number of its transitions that the saved table
/// held.
std::int64_t load_segment(Table& table, StateReader& reader) {
  auto segment = std::make_unique<Segment>(table.format(), 0, 0);
  segment->load(reader);
  std::vector<KeptTransition> kept;
  for (auto left = reader.get<std::uint32_t>(); left > 0; --left) {
    kept.push_back(reader.get<KeptTransition>());
    if (kept.back().transition < segment->transitions().size()) continue;
    throw Error("the saved replay is damaged: it names a transition that is not there");
  }
  const auto count = static_cast<std::int64_t>(kept.size());
  table.restore(std::move(segment), kept);
  return count;
}

}  // namespace

GivePieces pieces_of(TableSnapshot snapshot) {
  return [snapshot = std::move(snapshot)](const TakePiece& take) {
    const auto& all = snapshot.transitions;
    StateWriter head;
    Head{.format = snapshot.format,
         .transitions = static_cast<std::int64_t>(all.size()),
         .counts = snapshot.counts}
        .save(head);
    take(head.bytes());
    std::size_t next = 0;
    while (next < all.size()) {
      StateWriter piece;
      while (next < all.size() && piece.bytes().size() < kPieceBytes) {
        const auto count = of_one_segment(all, next);
        save_segment(std::span(all).subspan(next, count), piece);
        next += count;
      }
      take(piece.bytes());
    }
  };
}

void restore(Table& table, const GivePieces& pieces) {
  std::optional<Head> head;
  std::int64_t restored = 0;
  pieces([&](std::span<const std::byte> piece) {
    StateReader reader(piece);
    if (!head) {
      head = Head::load(reader);
      if (head->format == table.format()) return;
      throw Error("the saved replay holds other observations than this config's");
    }
    while (!reader.at_end()) restored += load_segment(table, reader);
  });
  if (!head || restored != head->transitions) {
    throw Error("the saved replay is damaged: some of its transitions are missing");
  }
  table.restore(head->counts);
}

}  // namespace tandem
