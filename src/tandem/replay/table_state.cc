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
  std::optional<TransitionIndex::Layout> layout = {};  // older versions had none

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
    writer.put(layout->added);
    writer.put(layout->slots);
    writer.put_values(layout->free);
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
    if (reader.at_end()) return head;
    auto& layout = head.layout.emplace();
    layout.added = reader.get<std::int64_t>();
    layout.slots = reader.get<std::uint64_t>();
    layout.free = reader.get_values<std::uint32_t>();
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
    writer.put(found.transition);
    writer.put(found.priority);
    writer.put(found.key);
  }
}

/// Loads one segment into the table. Returns the number of its transitions that the saved table
/// held.
std::int64_t load_segment(Table& table, StateReader& reader, bool has_keys) {
  auto segment = std::make_unique<Segment>(table.format(), 0, 0);
  segment->load(reader);
  std::vector<KeptTransition> kept;
  for (auto left = reader.get<std::uint32_t>(); left > 0; --left) {
    kept.push_back({.transition = reader.get<std::uint32_t>(), .priority = reader.get<float>()});
    if (has_keys) kept.back().key = reader.get<Key>();
    if (kept.back().transition < segment->transitions().size()) continue;
    throw Error("the saved replay is damaged: it names a transition that is not there");
  }
  const auto count = static_cast<std::int64_t>(kept.size());
  table.restore(std::move(segment), kept);
  return count;
}

}  // namespace

std::optional<std::vector<std::byte>> SnapshotPieces::next() {
  const auto& all = snapshot_.transitions;
  StateWriter piece;
  if (!described_) {
    described_ = true;
    Head{.format = snapshot_.format,
         .transitions = std::ssize(all),
         .counts = snapshot_.counts,
         .layout = snapshot_.layout}
        .save(piece);
    return std::move(piece).take();
  }
  if (next_ == all.size()) return std::nullopt;
  while (next_ < all.size() && piece.bytes().size() < kPieceBytes) {
    const auto count = of_one_segment(all, next_);
    save_segment(std::span(all).subspan(next_, count), piece);
    next_ += count;
  }
  return std::move(piece).take();
}

void TableRestorer::take(std::span<const std::byte> piece) {
  StateReader reader(piece);
  if (!counts_) {
    const auto head = Head::load(reader);
    if (head.format.compression != table_.format().compression) {
      throw Error("the saved replay has frames of another compression than this config's");
    }
    if (head.format != table_.format()) {
      throw Error("the saved replay holds other observations than this config's");
    }
    counts_ = head.counts;
    transitions_ = head.transitions;
    has_keys_ = head.layout.has_value();
    if (head.layout) table_.restore(*head.layout);
    return;
  }
  while (!reader.at_end()) restored_ += load_segment(table_, reader, has_keys_);
}

void TableRestorer::finish() {
  if (!counts_ || restored_ != transitions_) {
    throw Error("the saved replay is damaged: some of its transitions are missing");
  }
  table_.restore(*counts_);
}

GivePieces pieces_of(TableSnapshot snapshot) {
  return [snapshot = std::move(snapshot)](const TakePiece& take) {
    SnapshotPieces pieces(snapshot);
    while (const auto piece = pieces.next()) take(*piece);
  };
}

void restore(Table& table, const GivePieces& pieces) {
  TableRestorer restorer(table);
  pieces([&](std::span<const std::byte> piece) { restorer.take(piece); });
  restorer.finish();
}

}  // namespace tandem
