#include "tandem/replay/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/sync/crew.h"

namespace tandem {
namespace {

TransitionIndex::Options index_options(const ReplayConfig& config) {
  config.check();
  TransitionIndex::Options options{.alpha = config.sampler == "prioritized" ? config.alpha : 0,
                                   .in_order = config.sampler == "fifo"};
  if (config.remover == "inverse_priority") options.alpha_evict = config.alpha_evict;
  return options;
}

void require_number(float priority) {
  if (priority >= 0 && std::isfinite(priority)) return;
  throw Diverged(fmt::format(
      "a priority became {}, so the run was stopped; try a lower optimizer.lr", priority));
}

/// A random number in [0, 1).
double share(Stream& stream) {
  const auto high = static_cast<std::uint64_t>(stream.bits()) << 21;  // 53 bits, as in a double
  return static_cast<double>(high ^ (stream.bits() >> 11)) * 0x1p-53;
}

/// As wait_until() of crew.h, but until `deadline` at most. Returns whether ready() holds.
template <class Ready>
bool wait_for(std::condition_variable_any& changed, WaitLock& lock, const std::stop_token& stop,
              Table::Deadline deadline, Ready ready) {
  const bool holds = changed.wait_until(lock, stop, deadline, std::move(ready));
  if (stop.stop_requested()) throw Stopped();
  return holds;
}

}  // namespace

FieldList ReplayConfig::fields() {
  return {
      {.key = "capacity",
       .target = &capacity,
       .meaning = "transitions that it keeps",
       .source = "Ape-X, section 4.1: 2 million, appendix D: 1 million",
       .least = 1,
       .most = 16'000'000},
      {.key = "min_fill",
       .target = &min_fill,
       .meaning = "transitions before the first is sampled",
       .source = "Ape-X, appendix C",
       .least = 1,
       .most = 16'000'000},
      {.key = "sampler",
       .target = &sampler,
       .meaning = "prioritized: in proportion to priorities; fifo: each once, in order",
       .source = "Ape-X, section 3",
       .choices = {"prioritized", "uniform", "fifo"}},
      {.key = "alpha",
       .target = &alpha,
       .meaning = "exponent of priorities",
       .source = "Ape-X, section 4.1",
       .least = 0,
       .most = 2},
      {.key = "beta",
       .target = &beta,
       .meaning = "exponent of importance weights; 0: all weigh 1",
       .source = "Ape-X, section 4.1",
       .least = 0,
       .most = 2},
      {.key = "remover",
       .target = &remover,
       .meaning = "fifo: removes the oldest first; inverse_priority: draws, mostly the least "
                  "important",
       .source = "Ape-X, section 4.1; inverse_priority: appendix D",
       .choices = {"fifo", "inverse_priority"}},
      {.key = "alpha_evict",
       .target = &alpha_evict,
       .meaning = "inverse_priority: exponent of priorities",
       .source = "Ape-X, appendix D",
       .least = -2,
       .most = 0},
      {.key = "samples_per_insert",
       .target = &samples_per_insert,
       .meaning = "samples for each transition inserted beyond min_fill, at which actors and the "
                  "learner wait for each other; 0: nobody waits",
       .source = "not in the paper, whose rates make 0.8; Cassirer et al. 2021, section 3.4",
       .least = 0,
       .most = 1e6},
      {.key = "slack",
       .target = &slack,
       .meaning = "samples that either side may be ahead of samples_per_insert",
       .least = 0,
       .most = 1e12},
      {.key = "compression",
       .target = &compression,
       .meaning = "compression of frames: none, or lz4 (fast), zstd (small) or png",
       .source = "Ape-X, section 4.1: PNG",
       .choices = {"none", "lz4", "zstd", "png"}},
      {.key = "segment",
       .target = &segment,
       .meaning = "transitions of an environment that an actor sends at a time (B)",
       .source = "Ape-X, section 4.1",
       .least = 1,
       .most = 10'000},
  };
}

void ReplayConfig::check() const {
  if (sampler == "fifo" && remover == "inverse_priority") {
    throw Error(
        "replay.sampler: fifo reads in the order of removal, and so needs replay.remover = fifo");
  }
  if (min_fill > capacity) {
    throw Error(fmt::format("replay.min_fill = {} is more than replay.capacity = {} holds",
                            min_fill, capacity));
  }
  // Otherwise writers would wait for samples that no reader could draw.
  if (sampler == "fifo" && samples_per_insert > 1) {
    throw Error(fmt::format(
        "replay.sampler: fifo gives each transition once, and replay.samples_per_insert "
        "= {:g} asks for more; use 1 at most, or 0",
        samples_per_insert));
  }
}

Table::Table(const ReplayConfig& config, const FrameFormat& format, std::int64_t batch,
             std::uint64_t seed, std::stop_token stop)
    : config_(config),
      format_(format),
      stop_(std::move(stop)),
      segment_bytes_(std::make_shared<std::atomic<std::size_t>>(0)),
      index_(index_options(config)),
      limiter_({.min_fill = config.min_fill,
                .samples_per_insert = config.samples_per_insert,
                .slack = config.slack}),
      stream_(seed, streams::kReplay.id()) {
  require_batch(batch);
}

void Table::require_batch(std::int64_t batch) const {
  if (in_order() && config_.capacity < batch) {
    throw Error(
        fmt::format("replay.capacity = {} is less than a batch, {}", config_.capacity, batch));
  }
  const Lock lock(mutex_);
  limiter_.require_slack_for(batch);
}

bool Table::may_insert() const { return limiter_.may_insert(index_.size()); }

void Table::wait_to_insert() {
  WaitLock lock(mutex_);
  wait_until(sampled_, lock, stop_, [&]() TANDEM_REQUIRES(mutex_) { return may_insert(); });
}

bool Table::wait_to_insert(Deadline deadline) {
  WaitLock lock(mutex_);
  return wait_for(sampled_, lock, stop_, deadline,
                  [&]() TANDEM_REQUIRES(mutex_) { return may_insert(); });
}

std::shared_ptr<const Segment> Table::count_bytes(std::unique_ptr<Segment> segment) {
  const auto bytes = segment->bytes();
  *segment_bytes_ += bytes;
  // The last owner of a segment frees it and subtracts its bytes.
  return {segment.release(), [bytes, all = segment_bytes_](const Segment* gone) {
            *all -= bytes;
            delete gone;
          }};
}

void Table::insert(std::unique_ptr<Segment> segment, std::int64_t copies) {
  if (segment->format() != format_) throw std::logic_error("a segment of another format");
  const auto count = static_cast<std::int64_t>(segment->transitions().size());
  if (count == 0) return;
  std::ranges::for_each(segment->transitions(), require_number, &Transition::priority);
  const auto shared = count_bytes(std::move(segment));
  {
    const Lock lock(mutex_);
    for (std::int64_t i = 0; i < copies; ++i) index_.add(shared);
    limiter_.inserted(copies * count);
  }
  inserted_.notify_all();
}

bool Table::may_sample(std::int64_t samples) {
  if (in_order() && index_.unread() < samples) return false;
  return limiter_.may_sample(index_.size(), samples);
}

void Table::sample(SampleBatch& batch) {
  const auto samples = static_cast<std::int64_t>(batch.size);
  std::int64_t added = 0;
  {
    WaitLock lock(mutex_);
    wait_until(inserted_, lock, stop_,
               [&]() TANDEM_REQUIRES(mutex_) { return may_sample(samples); });
    added = draw_into(std::span(batch.drawn).first(batch.size));
  }
  read(batch, added);
}

bool Table::sample(SampleBatch& batch, Deadline deadline) {
  const auto samples = static_cast<std::int64_t>(batch.size);
  std::int64_t added = 0;
  {
    WaitLock lock(mutex_);
    const auto ready = [&]() TANDEM_REQUIRES(mutex_) { return may_sample(samples); };
    if (!wait_for(inserted_, lock, stop_, deadline, ready)) return false;
    added = draw_into(std::span(batch.drawn).first(batch.size));
  }
  read(batch, added);
  return true;
}

DrawnTransitions Table::draw(std::int64_t samples) {
  DrawnTransitions drawn;
  {
    const Lock lock(mutex_);
    if (!may_sample(samples)) return drawn;
    drawn.found.resize(static_cast<std::size_t>(samples));
    drawn.added = draw_into(drawn.found);
  }
  sampled_.notify_all();
  return drawn;
}

/// Draws a batch. Returns the number of transitions inserted so far.
std::int64_t Table::draw_into(std::span<TransitionIndex::Found> drawn) {
  const auto parts = static_cast<double>(drawn.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    drawn[i] =
        in_order() ? index_.next() : index_.draw((static_cast<double>(i) + share(stream_)) / parts);
  }
  limiter_.sampled(std::ssize(drawn));
  return index_.added();
}

/// Copies or decompresses the drawn transitions, without the lock.
void Table::read(SampleBatch& batch, std::int64_t added) {
  sampled_.notify_all();
  weigh(batch);
  batch.read(added);
}

/// Computes importance weights from the probabilities.
void Table::weigh(SampleBatch& batch) const {
  std::ranges::fill(batch.weights, 1.0F);
  if (in_order() || config_.beta == 0) return;
  batch.weigh(config_.beta);
}

void Table::update(std::span<const Key> keys, std::span<const float> priorities) {
  std::ranges::for_each(priorities, require_number);
  const Lock lock(mutex_);
  stale_ += index_.update(keys, priorities);
}

void Table::trim() {
  std::vector<std::shared_ptr<const Segment>> gone;  // freed after the lock is released
  std::int64_t lost = 0;
  {
    const Lock lock(mutex_);
    while (index_.size() > config_.capacity) gone.push_back(index_.remove(share(stream_)));
    lost = index_.forget_removed();
    limiter_.lost(lost);
  }
  if (lost > 0) sampled_.notify_all();  // writers need not wait for samples of them
}

TableState Table::state() const {
  const Lock lock(mutex_);
  return {.transitions = index_.size(),
          .inserted = limiter_.all_inserted(),
          .sampled = limiter_.all_sampled(),
          .stale = stale_,
          .bytes = index_.bytes() + *segment_bytes_,
          .mass = index_.mass()};
}

TableSnapshot Table::snapshot() const {
  const Lock lock(mutex_);
  return {.format = format_,
          .transitions = index_.all(),
          .counts = {.inserted = limiter_.all_inserted(),
                     .sampled = limiter_.all_sampled(),
                     // A sampler that reads in order has read none of what another one drew.
                     .unread = in_order() ? index_.unread() : index_.size(),
                     .stream = stream_},
          .layout = index_.layout()};
}

void Table::restore(const TransitionIndex::Layout& layout) {
  const Lock lock(mutex_);
  index_.restore(layout);
}

void Table::restore(std::unique_ptr<Segment> segment, std::span<const KeptTransition> kept) {
  const auto shared = count_bytes(std::move(segment));
  const Lock lock(mutex_);
  for (const auto& [transition, priority, key] : kept) {
    if (key) {
      index_.restore(shared, transition, priority, *key);
    } else {
      index_.add(shared, transition, priority);
    }
  }
}

void Table::restore(const TableCounts& counts) {
  if (counts.unread < 0) throw Error("the saved replay is damaged: its counts make no sense");
  const Lock lock(mutex_);
  while (index_.unread() > counts.unread) index_.next();
  // A sampler that reads in order has drawn, lost or not yet read each transition.
  const auto lost = counts.inserted - counts.sampled - index_.unread();
  limiter_.restore(counts.inserted, counts.sampled,
                   in_order() ? std::max<std::int64_t>(0, lost) : 0);
  stream_ = counts.stream;
}

std::vector<float> Table::priorities(std::int64_t most) const {
  const Lock lock(mutex_);
  return index_.priorities(most);
}

std::vector<float> Table::priorities() const {
  const Lock lock(mutex_);
  std::vector<float> priorities;
  for (const auto& found : index_.all()) priorities.push_back(found.priority);
  return priorities;
}

}  // namespace tandem
