#include "tandem/cluster/draw.h"

#include <algorithm>
#include <type_traits>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// Writes the part of an array that belongs to the first `count` of `size` samples.
template <class T>
void put_part(StateWriter& writer, const std::vector<T>& all, std::size_t count, std::size_t size) {
  writer.put_bytes(std::as_bytes(std::span(all).first(all.size() / size * count)));
}

/// Reads such a part to its place among `size` samples.
template <class T>
void get_part(StateReader& reader, std::vector<T>& all, std::size_t first, std::size_t count,
              std::size_t size) {
  const auto width = all.size() / size;
  const auto bytes = reader.get_bytes();
  const auto place = std::as_writable_bytes(std::span(all).subspan(first * width, count * width));
  if (bytes.size() != place.size()) throw Error("a shard's samples are of another format");
  std::ranges::copy(bytes, place.begin());
}

}  // namespace

void DrawOrder::save(StateWriter& writer) const {
  writer.put(incarnation);
  writer.put_values(keys);
  writer.put_values(priorities);
  writer.put(trims);
  writer.put(allowance);
  writer.put(inserted);
  writer.put(samples);
  writer.put(shown);
}

DrawOrder DrawOrder::load(StateReader& reader) {
  DrawOrder order;
  order.incarnation = reader.get<std::uint64_t>();
  order.keys = reader.get_values<Key>();
  order.priorities = reader.get_values<float>();
  order.trims = reader.get<std::uint8_t>();
  order.allowance = reader.get<std::int64_t>();
  order.inserted = reader.get<std::int64_t>();
  order.samples = reader.get<std::uint32_t>();
  order.shown = reader.get<std::uint32_t>();
  if (order.keys.size() != order.priorities.size()) {
    throw Error("a learner's order has not one priority for each key");
  }
  return order;
}

DrawAnswer DrawAnswer::load(StateReader& reader) {
  DrawAnswer answer;
  answer.state = reader.get<ShardState>();
  answer.shown = reader.get_values<float>();
  answer.samples = reader.get<std::uint32_t>();
  answer.rest = reader;
  return answer;
}

void write_answer(StateWriter& writer, const ShardState& state, std::span<const float> shown,
                  const SampleBatch* batch, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<ShardState>);
  writer.put(state);
  writer.put_bytes(std::as_bytes(shown));
  writer.put(static_cast<std::uint32_t>(count));
  if (count == 0) return;
  const auto size = batch->keys.size();
  put_part(writer, batch->keys, count, size);
  put_part(writer, batch->observations, count, size);
  put_part(writer, batch->next_observations, count, size);
  put_part(writer, batch->actions, count, size);
  put_part(writer, batch->controls, count, size);
  put_part(writer, batch->n_step_returns, count, size);
  put_part(writer, batch->discounts, count, size);
  put_part(writer, batch->priorities, count, size);
  put_part(writer, batch->ages, count, size);
  for (std::size_t i = 0; i < count; ++i) writer.put(batch->drawn[i].probability);
}

void read_samples(DrawAnswer& answer, std::int64_t num_actions, SampleBatch& batch,
                  std::size_t first) {
  const std::size_t count = answer.samples;
  const auto size = batch.keys.size();
  if (first + count > size) throw Error("a shard gave more samples than were ordered");
  StateReader& reader = answer.rest;
  get_part(reader, batch.keys, first, count, size);
  get_part(reader, batch.observations, first, count, size);
  get_part(reader, batch.next_observations, first, count, size);
  get_part(reader, batch.actions, first, count, size);
  get_part(reader, batch.controls, first, count, size);
  get_part(reader, batch.n_step_returns, first, count, size);
  get_part(reader, batch.discounts, first, count, size);
  get_part(reader, batch.priorities, first, count, size);
  get_part(reader, batch.ages, first, count, size);
  for (std::size_t i = first; i < first + count; ++i) {
    batch.drawn[i].probability = reader.get<double>();
  }
  if (!reader.at_end()) throw Error("a shard's samples are of another format");
  if (num_actions == 0) return;
  const auto actions = std::span(batch.actions).subspan(first, count);
  const auto exists = [&](auto action) { return action >= 0 && action < num_actions; };
  if (!std::ranges::all_of(actions, exists)) throw Error("a shard's samples have no such actions");
}

}  // namespace tandem
