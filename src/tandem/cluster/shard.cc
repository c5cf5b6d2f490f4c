#include "tandem/cluster/shard.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// A shard's table. The learner decides who may insert and draw, so the table lets all do so.
ReplayConfig share_of(ReplayConfig replay, int shards) {
  replay.capacity = (replay.capacity + shards - 1) / shards;
  replay.min_fill = 1;
  replay.samples_per_insert = 0;
  return replay;
}

}  // namespace

Shard::Shard(const ShardOptions& options)
    : options_(options), table_(make_table()), epoch_(options.self.epoch) {}

std::shared_ptr<Table> Shard::make_table() const {
  return std::make_shared<Table>(share_of(options_.replay, options_.shards), options_.format, 1,
                                 options_.seed, std::stop_token());
}

std::shared_ptr<Table> Shard::table() const {
  const Lock lock(replacing_);
  return table_;
}

std::vector<std::byte> Shard::deliver(std::span<const std::byte> message) {
  std::optional<Sender> from;
  try {
    const auto letter = open_message(message);
    from = letter.from;
    return act_on(letter);
  } catch (const Garbled& garbled) {
    from = garbled.from();
  } catch (const Diverged& diverged) {
    return failure(diverged);
  } catch (const Error&) {  // the head is of tandem, and the content is not
  }
  const Lock lock(receiving_);
  if (from && from->part != kLearnerPart) receipts_.close(*from);
  return answer(Verb::garbled);
}

Shard::Bytes Shard::act_on(const Letter& letter) {
  const Verb verdict = look_at(letter);
  if (letter.verb == Verb::insert) {
    if (letter.from.part < kFirstActorPart) throw Error("an insert came from no actor");
    return verdict == Verb::closed ? answer(verdict) : insert(letter, verdict);
  }
  if (letter.from.part != kLearnerPart) throw Error("an order came from no learner");
  // The numbers of pieces say which has come before.
  if (letter.verb == Verb::save && verdict == Verb::again) return give_piece(letter);
  if (verdict != Verb::done) return answer(verdict);
  switch (letter.verb) {
    case Verb::draw:
      return draw(letter);
    case Verb::save:
      return give_piece(letter);
    case Verb::restore:
      return restore_piece(letter);
    default:
      throw Error("a message has no purpose here");
  }
}

Verb Shard::look_at(const Letter& letter) {
  bool newer = false;
  Verb verdict = Verb::done;
  {
    const Lock lock(receiving_);
    if (letter.from.run != options_.self.run) return Verb::closed;
    if (letter.from.part == kLearnerPart) {
      if (letter.from.epoch < epoch_) return Verb::past;
      newer = letter.from.epoch > epoch_;
      epoch_ = letter.from.epoch;
    }
    verdict = receipts_.take(letter);
  }
  if (newer) drop_pieces();
  return verdict;
}

/// The learner that asked for a checkpoint, or brought one, is gone: the rest would keep its
/// memory.
void Shard::drop_pieces() {
  const Lock lock(saving_);
  pieces_.reset();
  piece_.reset();
  restorer_.reset();
  restored_.reset();
}

/// Every answer tells the actor by how much its credit grows, also the answer to a message that has
/// come before: the first answer may have been lost. A message whose segments can all be read is
/// right, so what the table throws after that is no fault of its sender.
Shard::Bytes Shard::insert(const Letter& letter, Verb verdict) {
  StateReader reader(letter.content);
  CreditRequest request{.actor = letter.from.part,
                        .credit = reader.get<std::int64_t>(),
                        .wish = reader.get<std::int64_t>()};
  std::vector<std::unique_ptr<Segment>> segments;
  while (verdict == Verb::done && !reader.at_end()) {
    const auto& segment = segments.emplace_back(std::make_unique<Segment>(options_.format, 0, 0));
    segment->load(reader);
    require_actions(*segment);
    request.sent += std::ssize(segment->transitions()) * options_.copies;
  }
  const auto table = this->table();
  try {
    for (auto& segment : segments) table->insert(std::move(segment), options_.copies);
  } catch (const Error& error) {
    return failure(error);
  }
  if (request.sent > 0 && table->state().transitions > 2 * capacity()) table->trim();
  MessageWriter writer(options_.self, verdict);
  {
    const Lock lock(receiving_);
    writer.content().put(credits_.grant(request));
  }
  return std::move(writer).seal();
}

/// The learner takes actions as places in its arrays.
void Shard::require_actions(const Segment& segment) const {
  const auto exists = [&](const Transition& transition) {
    return options_.num_actions == 0 ||
           (transition.action >= 0 && transition.action < options_.num_actions);
  };
  if (std::ranges::all_of(segment.transitions(), exists)) return;
  throw Error("a transition has an action that does not exist");
}

Shard::Bytes Shard::draw(const Letter& letter) {
  StateReader reader(letter.content);
  const auto order = DrawOrder::load(reader);
  const auto table = this->table();
  const Lock lock(drawing_);
  const bool own = order.incarnation == options_.self.incarnation;
  if (own) table->update(order.keys, order.priorities);
  if (order.trims != 0) table->trim();
  {
    const Lock receiving(receiving_);
    // Inserts that came since the learner counted use the allowance up. It counted those of another
    // shard if this one is new; its next order comes soon.
    const auto since = table->state().inserted - order.inserted;
    credits_.allow(own ? order.allowance - since : 0);
  }
  const auto samples = std::min<std::int64_t>(order.samples, options_.batch);
  const auto drawn = samples > 0 ? table->draw(samples) : DrawnTransitions{};
  MessageWriter writer(options_.self, Verb::done);
  write_answer(writer.content(), state_of(*table), table->priorities(order.shown), drawn);
  return std::move(writer).seal();
}

/// The learner asks for one piece after another. The first question takes the snapshot, which keeps
/// its transitions in memory until the answer after the last piece, which has none. A question that
/// comes again gets the same answer.
Shard::Bytes Shard::give_piece(const Letter& letter) {
  StateReader reader(letter.content);
  const auto number = reader.get<std::uint64_t>();
  const Lock lock(saving_);
  if (number == 0) {
    pieces_.emplace(table()->snapshot());
    piece_ = pieces_->next();
  } else if (pieces_ && number == piece_number_ + 1) {
    piece_ = pieces_->next();
  } else if (number != piece_number_) {
    return answer(Verb::closed);  // of another life of this shard
  }
  if (!piece_) pieces_.reset();
  piece_number_ = number;
  MessageWriter writer(options_.self, Verb::done);
  if (piece_) writer.content().put_bytes(*piece_);
  return std::move(writer).seal();
}

/// The first piece has the number 0 and begins anew, whatever came before. An empty piece is the
/// end; until then the present table serves.
Shard::Bytes Shard::restore_piece(const Letter& letter) {
  StateReader reader(letter.content);
  const auto number = reader.get<std::uint64_t>();
  const auto piece = reader.get_bytes();
  const Lock lock(saving_);
  if (number == 0) {
    restorer_.reset();
    restored_ = make_table();
    restorer_.emplace(*restored_);
  }
  if (!restorer_) throw Error("a piece of a replay came before the first");
  try {
    if (!piece.empty()) {
      restorer_->take(piece);
      return answer(Verb::done);
    }
    restorer_->finish();
  } catch (const Error&) {  // its half would stay in memory beside the present table
    restorer_.reset();
    restored_.reset();
    throw;
  }
  restorer_.reset();
  const Lock replacing(replacing_);
  table_ = std::move(restored_);
  return answer(Verb::done);
}

std::int64_t Shard::capacity() const { return share_of(options_.replay, options_.shards).capacity; }

Shard::Bytes Shard::failure(const Error& error) const {
  MessageWriter writer(options_.self, Verb::failed);
  writer.content().put_string(error.what());
  return std::move(writer).seal();
}

Shard::Bytes Shard::answer(Verb verb) const { return MessageWriter(options_.self, verb).seal(); }

ShardState Shard::state_of(const Table& table) const {
  return {.incarnation = options_.self.incarnation, .table = table.state()};
}

nlohmann::ordered_json Shard::status() const {
  const auto now = table()->state();
  return {{"transitions", now.transitions},
          {"inserted", now.inserted},
          {"sampled", now.sampled},
          {"bytes", now.bytes}};
}

}  // namespace tandem
