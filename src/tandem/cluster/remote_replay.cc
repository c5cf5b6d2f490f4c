#include "tandem/cluster/remote_replay.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/base/streams.h"
#include "tandem/cluster/draw_plan.h"
#include "tandem/cluster/rhythm.h"
#include "tandem/sync/crew.h"

namespace tandem {
namespace {

constexpr std::chrono::milliseconds kPoll(5);

/// Priorities that each shard shows with an answer.
constexpr std::uint32_t kShown = 100;

}  // namespace

/// Messages that are sent once the lock is released: an answer to a closed mailbox comes at once.
struct RemoteReplay::Letterbag {
  struct Item {
    int shard;
    std::vector<std::byte> message;
    std::shared_ptr<RemoteBatch> batch;
    std::size_t part;
  };
  std::vector<Item> items;
};

RemoteReplay::RemoteReplay(const RemoteReplayOptions& options, ClusterLink& link,
                           std::stop_token stop)
    : options_(options),
      link_(link),
      stop_(std::move(stop)),
      shards_(static_cast<std::size_t>(link.shards())),
      limiter_({.min_fill = options.replay.min_fill,
                .samples_per_insert = options.replay.samples_per_insert,
                .slack = options.replay.slack}),
      stream_(options.seed, streams::kShards.id()) {
  limiter_.require_slack_for(options.batch);
  const auto size = static_cast<std::size_t>(options.batch);
  for (std::int64_t i = 0; i < options.batches; ++i) {
    unused_.push_back(
        std::make_shared<RemoteBatch>(RemoteBatch{.samples = SampleBatch(options.format, size)}));
  }
}

void RemoteReplay::run() {
  for (;;) {
    Letterbag bag;
    std::shared_ptr<RemoteBatch> packed;
    {
      WaitLock lock(mutex_);
      changed_.wait_for(lock, stop_, kPoll,
                        [&]() TANDEM_REQUIRES(mutex_) { return may_draw() || !packed_.empty(); });
      if (stop_.stop_requested()) throw Stopped();
      while (may_draw()) draw(bag);
      look_after_all(bag);
      if (!packed_.empty()) {
        packed = std::move(packed_.front());
        packed_.pop_front();
      }
    }
    for (auto& item : bag.items) {
      link_.mailbox().send(fmt::format("shard:{}", item.shard), std::move(item.message),
                           [this, shard = item.shard, batch = item.batch,
                            part = item.part](auto answer) { hear(shard, batch, part, answer); });
    }
    if (packed) unpack(std::move(packed));
  }
}

/// Speaks to every shard that has not been spoken to for a moment.
void RemoteReplay::look_after_all(Letterbag& bag) {
  const auto& replay = options_.replay;
  const bool idle = replay.samples_per_insert == 0 && size() >= replay.min_fill;
  const double pause = idle ? kIdleOrderSeconds : kOrderSeconds;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const auto& known = shards_[i];
    if (known.under_way > 0 || known.since_message.seconds() < pause) continue;
    order(static_cast<int>(i), 0, nullptr, 0, bag);
  }
}

bool RemoteReplay::may_draw() {
  const auto holds = [](const Known& known) { return known.state.table.mass > 0; };
  return std::ranges::any_of(shards_, holds) && !unused_.empty() &&
         limiter_.may_sample(size(), options_.batch);
}

void RemoteReplay::draw(Letterbag& bag) {
  std::vector<double> masses;
  for (const auto& known : shards_) masses.push_back(known.state.table.mass);
  double all = 0;
  for (const double mass : masses) all += mass;
  const auto counts = divide_batch(masses, static_cast<int>(options_.batch),
                                   static_cast<double>(stream_.uniform()));
  auto batch = std::move(unused_.back());
  unused_.pop_back();
  batch->parts.clear();
  batch->lost = false;
  std::size_t first = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto many = static_cast<std::size_t>(counts[i]);
    batch->parts.push_back(
        {.shard = static_cast<int>(i), .first = first, .count = many, .share = masses[i] / all});
    first += many;
  }
  batch->awaited = static_cast<int>(batch->parts.size());
  sampled_ += options_.batch;
  count();
  for (std::size_t part = 0; part < batch->parts.size(); ++part) {
    const auto& one = batch->parts[part];
    order(one.shard, static_cast<std::uint32_t>(one.count), batch, part, bag);
  }
}

void RemoteReplay::order(int shard, std::uint32_t samples, std::shared_ptr<RemoteBatch> batch,
                         std::size_t part, Letterbag& bag) {
  auto& known = shards_[static_cast<std::size_t>(shard)];
  auto order = std::exchange(known.next, {.incarnation = known.state.incarnation});
  const auto shards = static_cast<std::int64_t>(shards_.size());
  order.allowance = (limiter_.room(size()) + shards - 1) / shards;
  order.inserted = known.state.table.inserted;
  order.samples = samples;
  order.shown = samples == 0 ? 0 : kShown;
  MessageWriter writer(link_.self(), Verb::draw, link_.next_sequence(shard));
  order.save(writer.content());
  known.under_way += 1;
  known.since_message.lap();
  bag.items.push_back({shard, std::move(writer).seal(), std::move(batch), part});
}

void RemoteReplay::hear(int shard, const std::shared_ptr<RemoteBatch>& batch, std::size_t part,
                        std::optional<std::span<const std::byte>> answer) {
  std::optional<DrawAnswer> drawn;
  bool superseded = false;
  bool whole = false;  // whether all samples came
  try {
    if (answer) {
      const auto letter = open_message(*answer);
      superseded = letter.verb == Verb::past;
      StateReader reader(letter.content);
      if (letter.verb == Verb::done) drawn = DrawAnswer::load(reader);
    }
    if (drawn && batch != nullptr && drawn->samples == batch->parts[part].count) {
      // No lock is needed for the part, because nobody else knows of it.
      read_samples(*drawn, options_.format, options_.num_actions, batch->samples,
                   batch->parts[part].first);
      batch->parts[part].incarnation = drawn->state.incarnation;
      batch->parts[part].added = drawn->added;
      whole = true;
    }
  } catch (const std::exception& error) {  // also where memory is short
    spdlog::warn("shard {}: {}", shard, error.what());
    drawn.reset();
  }
  {
    const Lock lock(mutex_);
    superseded_ = superseded_ || superseded;
    know(shard, std::move(drawn));
    if (batch != nullptr) {
      batch->lost = batch->lost || !whole;
      if (--batch->awaited == 0) complete(batch);
    }
  }
  changed_.notify_all();
  if (superseded) drawn_.notify_all();
}

/// Takes over a shard's own description. Without one nothing is drawn from it for the time being;
/// its transitions count on, because one lost answer tells little.
void RemoteReplay::know(int shard, std::optional<DrawAnswer> answer) {
  auto& known = shards_[static_cast<std::size_t>(shard)];
  known.under_way -= 1;
  if (!answer) {
    known.state.table.mass = 0;
    return;
  }
  const auto& now = answer->state;
  if (now.incarnation < known.state.incarnation) return;
  // A checkpoint without counts leaves them to the shards, whose replay is older than this learner.
  if (known.state.incarnation == 0 && !known.restored) sampled_ += now.table.sampled;
  if (known.restored) {
    known.lost_inserts = *std::exchange(known.restored, std::nullopt) - now.table.inserted;
    known.next = {.incarnation = now.incarnation};
  } else if (now.incarnation > known.state.incarnation) {
    known.lost_inserts += known.state.table.inserted;
    known.next = {.incarnation = now.incarnation};
  } else if (now.table.inserted < known.state.table.inserted) {
    return;  // a later answer came first
  }
  known.state = now;
  if (!answer->shown.empty()) known.shown = std::move(answer->shown);
  count();
}

void RemoteReplay::complete(std::shared_ptr<RemoteBatch> batch) {
  if (batch->lost) return lose(std::move(batch));
  packed_.push_back(std::move(batch));
}

void RemoteReplay::lose(std::shared_ptr<RemoteBatch> batch) {
  lost_batches_ += 1;
  sampled_ -= options_.batch;
  count();
  unused_.push_back(std::move(batch));
}

/// Decompresses the frames without the lock, and outside the carrier's threads.
void RemoteReplay::unpack(std::shared_ptr<RemoteBatch> batch) {
  bool whole = true;
  try {
    for (const auto& part : batch->parts) {
      batch->samples.read(part.first, part.first + part.count, part.added);
    }
    weigh(*batch);
  } catch (const Error& error) {
    spdlog::warn("{}", error.what());
    whole = false;
  }
  {
    const Lock lock(mutex_);
    if (!whole) return lose(std::move(batch));
    ready_.push_back(std::move(batch));
  }
  drawn_.notify_all();
}

/// Computes importance weights from the probabilities in all shards together. A shard may have
/// changed since its mass was known, but each sample was drawn with just this probability.
void RemoteReplay::weigh(RemoteBatch& batch) const {
  for (const auto& part : batch.parts) {
    for (std::size_t i = part.first; i < part.first + part.count; ++i) {
      batch.samples.drawn[i].probability *= part.share;
      batch.samples.ages[i] *= link_.shards();
    }
  }
  batch.samples.weigh(options_.replay.beta);
}

std::shared_ptr<RemoteBatch> RemoteReplay::next() {
  WaitLock lock(mutex_);
  wait_until(drawn_, lock, stop_,
             [&]() TANDEM_REQUIRES(mutex_) { return !ready_.empty() || superseded_; });
  if (superseded_) throw Error("another learner has taken over this run, so this one ends");
  auto batch = std::move(ready_.front());
  ready_.pop_front();
  return batch;
}

void RemoteReplay::update(std::shared_ptr<RemoteBatch> batch) {
  const Lock lock(mutex_);
  for (const auto& part : batch->parts) {
    auto& known = shards_[static_cast<std::size_t>(part.shard)];
    if (part.incarnation != known.state.incarnation) continue;  // the shard was lost
    const auto first = static_cast<std::ptrdiff_t>(part.first);
    const auto last = first + static_cast<std::ptrdiff_t>(part.count);
    const auto& samples = batch->samples;
    known.next.incarnation = part.incarnation;
    known.next.keys.insert(known.next.keys.end(), samples.keys.begin() + first,
                           samples.keys.begin() + last);
    known.next.priorities.insert(known.next.priorities.end(), samples.priorities.begin() + first,
                                 samples.priorities.begin() + last);
  }
  unused_.push_back(std::move(batch));
  changed_.notify_all();
}

void RemoteReplay::trim() {
  const Lock lock(mutex_);
  for (auto& known : shards_) known.next.trims = 1;
}

/// All transitions that a shard and its predecessors have received.
std::int64_t RemoteReplay::inserts_of(const Known& known) {
  return known.restored ? *known.restored : known.state.table.inserted + known.lost_inserts;
}

std::int64_t RemoteReplay::size() const {
  std::int64_t all = 0;
  for (const auto& known : shards_) all += known.state.table.transitions;
  return all;
}

/// Brings the rate limiter up to date.
void RemoteReplay::count() {
  std::int64_t inserted = 0;
  for (const auto& known : shards_) inserted += inserts_of(known);
  limiter_.restore(inserted, sampled_);
}

TableState RemoteReplay::state() const {
  const Lock lock(mutex_);
  TableState all{.transitions = size(), .sampled = sampled_};
  for (const auto& known : shards_) {
    all.inserted += inserts_of(known);
    all.stale += known.state.table.stale;
    all.bytes += known.state.table.bytes;
    all.mass += known.state.table.mass;
  }
  return all;
}

std::vector<float> RemoteReplay::priorities() const {
  const Lock lock(mutex_);
  std::vector<float> all;
  for (const auto& known : shards_) {
    all.insert(all.end(), known.shown.begin(), known.shown.end());
  }
  return all;
}

std::size_t RemoteReplay::ahead() const {
  const Lock lock(mutex_);
  return ready_.size();
}

std::int64_t RemoteReplay::lost_batches() const {
  const Lock lock(mutex_);
  return lost_batches_;
}

nlohmann::json RemoteReplay::save() const {
  const Lock lock(mutex_);
  std::vector<std::int64_t> inserted, held;
  for (const auto& known : shards_) {
    inserted.push_back(inserts_of(known));
    held.push_back(known.state.table.inserted);
  }
  return {{"sampled", sampled_}, {"inserted", inserted}, {"held", held}};
}

void RemoteReplay::restore(const nlohmann::json& saved) {
  const Lock lock(mutex_);
  sampled_ = saved.at("sampled").get<std::int64_t>();
  const auto inserted = saved.at("inserted").get<std::vector<std::int64_t>>();
  if (inserted.size() != shards_.size()) {
    throw Error(
        fmt::format("the checkpoint has {0} shards, and this cluster has {1}: write "
                    "{{\"shards\": {0}}} into the run's file cluster.json",
                    inserted.size(), shards_.size()));
  }
  for (std::size_t i = 0; i < inserted.size(); ++i) shards_[i].restored = inserted[i];
  count();
}

}  // namespace tandem
