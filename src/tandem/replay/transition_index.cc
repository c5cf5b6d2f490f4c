#include "tandem/replay/transition_index.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr std::size_t kFirstSlots = 1024;

/// Priorities below this count as this. Otherwise a transition with a TD error of 0 would never be
/// drawn again, and with a negative exponent its weight would be infinite.
constexpr double kLeastPriority = 1e-6;

double weight_of(float priority, double exponent) {
  if (exponent == 0) return 1;
  return std::pow(std::max(kLeastPriority, static_cast<double>(priority)), exponent);
}

}  // namespace

TransitionIndex::TransitionIndex(const Options& options)
    : options_(options), sampling_(kFirstSlots), removal_(options.alpha_evict ? kFirstSlots : 1) {}

std::size_t TransitionIndex::bytes() const {
  const auto weights = sampling_.places() + removal_.places();
  return slots_.capacity() * sizeof(Slot) + free_.capacity() * sizeof(std::uint32_t) +
         (order_.size() + unread_.size()) * sizeof(Key) + weights * sizeof(double) * 8 / 7;
}

bool TransitionIndex::holds(Key key) const {
  const auto slot = static_cast<std::size_t>(key & kSlotMask);
  return slot < slots_.size() && slots_[slot].segment != nullptr && slots_[slot].key == key;
}

std::size_t TransitionIndex::free_slot() {
  if (free_.empty()) {
    const auto slots = slots_.size();
    if (slots > kSlotMask) {
      throw Error(
          "the replay has grown to 16 million transitions, and cannot hold more: use a lower "
          "replay.capacity, remove transitions beyond it after fewer updates, or set a "
          "replay.samples_per_insert for which actors wait");
    }
    make_slots(slots + 1);
    return slots;
  }
  const auto slot = free_.back();
  free_.pop_back();
  return slot;
}

void TransitionIndex::make_slots(std::size_t slots) {
  if (slots > sampling_.places()) {
    sampling_.grow(slots + slots / 4);
    if (options_.alpha_evict) removal_.grow(sampling_.places());
  }
  slots_.resize(slots);
}

void TransitionIndex::weigh(std::size_t slot, float priority) {
  slots_[slot].priority = priority;
  sampling_.set(slot, weight_of(priority, options_.alpha));
  if (options_.alpha_evict) removal_.set(slot, weight_of(priority, *options_.alpha_evict));
}

void TransitionIndex::add(const std::shared_ptr<const Segment>& segment) {
  const auto transitions = segment->transitions();
  for (std::uint32_t i = 0; i < transitions.size(); ++i) add(segment, i, transitions[i].priority);
}

void TransitionIndex::add(const std::shared_ptr<const Segment>& segment, std::uint32_t transition,
                          float priority) {
  const auto slot = free_slot();
  const Key key = static_cast<Key>(added_++) << kSlotBits | slot;
  put(slot, {segment, key, transition, 0}, priority);
  if (order_.size() > 2 * static_cast<std::size_t>(size_) + kFirstSlots) {
    std::erase_if(order_, [&](Key each) { return !holds(each); });
  }
}

void TransitionIndex::put(std::size_t slot, Slot held, float priority) {
  const Key key = held.key;
  slots_[slot] = std::move(held);
  weigh(slot, priority);
  order_.push_back(key);
  if (options_.in_order) unread_.push_back(key);
  size_ += 1;
}

TransitionIndex::Layout TransitionIndex::layout() const {
  return {.added = added_, .slots = slots_.size(), .free = free_};
}

void TransitionIndex::restore(const Layout& layout) {
  const auto within = [&](std::uint32_t slot) { return slot < layout.slots; };
  if (layout.slots > kSlotMask + 1 || layout.added < 0 ||
      !std::ranges::all_of(layout.free, within)) {
    throw Error("the saved replay is damaged: its layout makes no sense");
  }
  make_slots(layout.slots);
  free_ = layout.free;
  added_ = layout.added;
}

void TransitionIndex::restore(const std::shared_ptr<const Segment>& segment,
                              std::uint32_t transition, float priority, Key key) {
  const auto slot = static_cast<std::size_t>(key & kSlotMask);
  if (slot >= slots_.size() || slots_[slot].segment != nullptr || serial(key) >= added_) {
    throw Error("the saved replay is damaged: two of its transitions share a place");
  }
  put(slot, {segment, key, transition, 0}, priority);
}

TransitionIndex::Found TransitionIndex::found(std::size_t slot) const {
  const auto& held = slots_[slot];
  return {held.segment, held.transition, held.key, held.priority,
          sampling_.weight(slot) / sampling_.total()};
}

TransitionIndex::Found TransitionIndex::draw(double share) const {
  return found(sampling_.find(share * sampling_.total()));
}

/// Drops removed transitions from the front; returns their number.
std::int64_t TransitionIndex::drop_gone(std::deque<Key>& keys) const {
  std::int64_t count = 0;
  for (; !keys.empty() && !holds(keys.front()); ++count) keys.pop_front();
  return count;
}

std::int64_t TransitionIndex::forget_removed() { return drop_gone(unread_); }

std::int64_t TransitionIndex::unread() const {
  // Removed transitions are at the front, because the oldest are removed first.
  const auto first = std::ranges::find_if(unread_, [&](Key key) { return holds(key); });
  return std::distance(first, unread_.end());
}

TransitionIndex::Found TransitionIndex::next() {
  drop_gone(unread_);
  const auto key = unread_.front();
  unread_.pop_front();
  return found(static_cast<std::size_t>(key & kSlotMask));
}

std::int64_t TransitionIndex::update(std::span<const Key> keys, std::span<const float> priorities) {
  std::int64_t gone = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (holds(keys[i])) {
      weigh(static_cast<std::size_t>(keys[i] & kSlotMask), priorities[i]);
    } else {
      gone += 1;
    }
  }
  return gone;
}

std::shared_ptr<const Segment> TransitionIndex::remove(double share) {
  drop_gone(order_);
  const auto slot = options_.alpha_evict ? removal_.find(share * removal_.total())
                                         : static_cast<std::size_t>(order_.front() & kSlotMask);
  sampling_.set(slot, 0);
  if (options_.alpha_evict) removal_.set(slot, 0);
  free_.push_back(static_cast<std::uint32_t>(slot));
  size_ -= 1;
  return std::exchange(slots_[slot].segment, nullptr);
}

std::vector<float> TransitionIndex::priorities(std::int64_t most) const {
  std::vector<float> some;
  if (most <= 0) return some;
  const auto stride = slots_.size() / static_cast<std::size_t>(most) + 1;
  for (std::size_t slot = 0; slot < slots_.size(); slot += stride) {
    if (slots_[slot].segment != nullptr) some.push_back(slots_[slot].priority);
  }
  return some;
}

std::vector<TransitionIndex::Found> TransitionIndex::all() const {
  std::vector<Found> all;
  all.reserve(static_cast<std::size_t>(size_));
  for (const auto key : order_) {
    if (holds(key)) all.push_back(found(static_cast<std::size_t>(key & kSlotMask)));
  }
  return all;
}

}  // namespace tandem
