#include "tandem/cluster/draw.h"

#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// Whether a count is one that can be added up.
bool counts(std::int64_t number) { return number >= 0 && number <= 1'000'000'000'000'000; }

/// The learner adds these numbers up.
void require_sense(const DrawAnswer& answer) {
  const auto& table = answer.state.table;
  if (counts(table.transitions) && counts(table.inserted) && counts(table.sampled) &&
      counts(table.stale) && counts(answer.added) && table.mass >= 0 && std::isfinite(table.mass)) {
    return;
  }
  throw Error("a shard's numbers make no sense");
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
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;  // the allowance where nothing limits
  if (!counts(order.inserted) || order.allowance < 0 || order.allowance > kNoLimit) {
    throw Error("the numbers of a learner's order make no sense");
  }
  return order;
}

DrawAnswer DrawAnswer::load(StateReader& reader) {
  DrawAnswer answer;
  answer.state = reader.get<ShardState>();
  answer.shown = reader.get_values<float>();
  answer.samples = reader.get<std::uint32_t>();
  answer.added = reader.get<std::int64_t>();
  require_sense(answer);
  answer.rest = reader;
  return answer;
}

void write_answer(StateWriter& writer, const ShardState& state, std::span<const float> shown,
                  const DrawnTransitions& drawn) {
  static_assert(std::is_trivially_copyable_v<ShardState>);
  writer.put(state);
  writer.put_bytes(std::as_bytes(shown));
  writer.put(static_cast<std::uint32_t>(drawn.found.size()));
  writer.put(drawn.added);
  for (const auto& found : drawn.found) {
    writer.put(found.key);
    writer.put(found.priority);
    writer.put(found.probability);
    found.segment->save(writer, found.transition);
  }
}

void read_samples(DrawAnswer& answer, const FrameFormat& format, std::int64_t num_actions,
                  SampleBatch& batch, std::size_t first) {
  if (first + answer.samples > batch.drawn.size()) {
    throw Error("a shard gave more samples than were ordered");
  }
  StateReader& reader = answer.rest;
  for (std::size_t i = first; i < first + answer.samples; ++i) {
    TransitionIndex::Found found;
    found.key = reader.get<Key>();
    found.priority = reader.get<float>();
    found.probability = reader.get<double>();
    auto segment = std::make_shared<Segment>(format, 0, 0);
    segment->load(reader);
    if (segment->transitions().size() != 1) throw Error("a sample is not one transition");
    const bool possible = found.probability > 0 && found.probability <= 1;
    if (!possible || TransitionIndex::serial(found.key) >= answer.added) {
      throw Error("a sample's key or probability makes no sense");
    }
    const auto action = segment->transitions().front().action;
    if (num_actions > 0 && (action < 0 || action >= num_actions)) {
      throw Error("a sample has an action that does not exist");
    }
    found.segment = std::move(segment);
    batch.drawn[i] = std::move(found);
  }
  if (!reader.at_end()) throw Error("a shard's samples are of another format");
}

}  // namespace tandem
