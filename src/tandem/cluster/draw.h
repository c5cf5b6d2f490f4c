// The messages by which a learner draws batches from shards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/base/state.h"
#include "tandem/replay/sample_batch.h"
#include "tandem/replay/table.h"

namespace tandem {

/// The learner's orders to a shard, carried out from top to bottom. Value type.
struct DrawOrder {
  std::uint64_t incarnation = 0;       // of the shard that the keys belong to
  std::vector<Key> keys = {};          // get new priorities: Algorithm 2, line 8
  std::vector<float> priorities = {};  // [keys]
  std::uint8_t trims = 0;              // 1: remove the transitions beyond the capacity (line 9)
  std::int64_t allowance = 0;          // transitions that actors may insert until the next order
  std::int64_t inserted = 0;           // inserts of the shard that the allowance counts already
  std::uint32_t samples = 0;           // to draw (line 4)
  std::uint32_t shown = 0;             // priorities to show, evenly spaced over all of the shard's

  void save(StateWriter& writer) const;
  static DrawOrder load(StateReader& reader);
};

/// A shard as its answers describe it. Value type.
struct ShardState {
  std::uint64_t incarnation = 0;
  TableState table;  // `inserted` counts from a checkpoint's number on if it was restored from one
};

/// A shard's answer to a DrawOrder: its state, some priorities, and the samples. The samples'
/// frames travel as the shard keeps them, each once and compressed, since nothing else is as large.
struct DrawAnswer {
  ShardState state;                    // after the orders were carried out
  std::vector<float> shown = {};       // priorities
  std::uint32_t samples = 0;           // drawn: all that were ordered, or none
  std::int64_t added = 0;              // transitions inserted in the shard when it drew
  StateReader rest = StateReader({});  // the samples; read_samples() reads them

  static DrawAnswer load(StateReader& reader);
};

/// Writes an answer with these samples.
void write_answer(StateWriter& writer, const ShardState& state, std::span<const float> shown,
                  const DrawnTransitions& drawn);

/// Reads the samples of an answer, of frames of this format, to the places from `first` on of
/// `batch.drawn`, for SampleBatch::read(). Throws Error when the answer does not fit the batch, or
/// has an action that is none of `num_actions` (0: continuous ones).
void read_samples(DrawAnswer& answer, const FrameFormat& format, std::int64_t num_actions,
                  SampleBatch& batch, std::size_t first);

}  // namespace tandem
