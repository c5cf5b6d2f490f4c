// A shard of a replay, which actors fill and a learner reads through messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/cluster/credits.h"
#include "tandem/cluster/draw.h"
#include "tandem/cluster/message.h"
#include "tandem/cluster/receipts.h"
#include "tandem/replay/table.h"
#include "tandem/replay/table_state.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// The settings of a shard. Value type.
struct ShardOptions {
  ReplayConfig replay;           // of the whole replay
  FrameFormat format;            // of its transitions
  std::int64_t num_actions = 0;  // discrete ones; 0: continuous
  std::int64_t batch = 512;      // the most samples of an order
  std::int64_t copies = 1;       // of each transition
  int shards = 1;                // of the replay
  std::uint64_t seed = 1;        // of the shard's draws
  Sender self;                   // as which it answers
};

/// One of the tables that together are Ape-X's replay (section 3). It answers each message at once
/// and waits for nobody: whether actors may insert and when the learner may draw is decided by the
/// learner, beside which one rate limiter counts for all shards. Inserts, draws and pieces may come
/// in different threads at the same time, and an insert never waits for a draw.
class Shard {
 public:
  explicit Shard(const ShardOptions& options);

  /// Acts on a message, and returns the sealed answer. A message that cannot be read closes its
  /// sender's incarnation alone; the learner's next message counts all the same, because no other
  /// can take its place. An error of the table goes back in the answer.
  std::vector<std::byte> deliver(std::span<const std::byte> message);

  /// Numbers for people: transitions, inserts, draws.
  [[nodiscard]] nlohmann::ordered_json status() const;

 private:
  using Bytes = std::vector<std::byte>;

  Bytes act_on(const Letter& letter);
  Verb look_at(const Letter& letter);
  Bytes insert(const Letter& letter, Verb verdict);
  void require_actions(const Segment& segment) const;
  Bytes draw(const Letter& letter);
  Bytes give_piece(const Letter& letter);
  Bytes restore_piece(const Letter& letter);
  void drop_pieces();
  [[nodiscard]] Bytes answer(Verb verb) const;
  [[nodiscard]] Bytes failure(const Error& error) const;
  [[nodiscard]] std::int64_t capacity() const;
  [[nodiscard]] ShardState state_of(const Table& table) const;

  [[nodiscard]] std::shared_ptr<Table> table() const;
  [[nodiscard]] std::shared_ptr<Table> make_table() const;

  const ShardOptions options_;
  mutable Mutex replacing_;
  std::shared_ptr<Table> table_ TANDEM_GUARDED_BY(replacing_);  // restoring replaces it
  Mutex receiving_;
  Receipts receipts_ TANDEM_GUARDED_BY(receiving_);
  Credits credits_ TANDEM_GUARDED_BY(receiving_);
  std::uint32_t epoch_ TANDEM_GUARDED_BY(receiving_);  // of the newest learner that has spoken
  Mutex drawing_;                                      // orders are carried out one after another
  Mutex saving_;
  std::optional<SnapshotPieces> pieces_ TANDEM_GUARDED_BY(saving_);
  std::uint64_t piece_number_ TANDEM_GUARDED_BY(saving_) = 0;  // of the last piece
  std::optional<Bytes> piece_ TANDEM_GUARDED_BY(saving_);      // empty: there was none left
  std::shared_ptr<Table> restored_ TANDEM_GUARDED_BY(saving_);
  std::optional<TableRestorer> restorer_ TANDEM_GUARDED_BY(saving_);
};

}  // namespace tandem
