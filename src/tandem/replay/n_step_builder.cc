#include "tandem/replay/n_step_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// A view counts frames with 16 bits. Very short episodes have more frames than transitions, so
/// that a segment may have to be taken before it has its transitions.
constexpr std::size_t kManyFrames = 1U << 15;

}  // namespace

NStepBuilder::NStepBuilder(const FrameFormat& format, const NStepOptions& options)
    : format_(format), options_(options), codec_(format), segment_(make_segment()) {}

/// Makes an empty segment. Reserves memory for transitions within one episode: a frame for each,
/// stack - 1 frames before the first and n after the last. The segment grows if episodes end in it.
std::unique_ptr<Segment> NStepBuilder::make_segment() const {
  const auto around = static_cast<std::size_t>(options_.n + format_.stack) - 1;
  return std::make_unique<Segment>(format_, options_.transitions, options_.transitions + around);
}

void NStepBuilder::append(std::span<const std::byte> frame) {
  auto& frames = segment_->frames();
  if (frames.size() > std::numeric_limits<std::uint16_t>::max() - 1) {
    throw std::logic_error("a segment of the replay was not taken for too long");
  }
  frames.append(frame, codec_);
  state_.newest = static_cast<std::uint16_t>(frames.size() - 1);
  state_.frames =
      static_cast<std::uint16_t>(std::min<std::int64_t>(state_.frames + 1, format_.stack));
}

void NStepBuilder::begin(std::span<const std::byte> frames) {
  pending_.clear();
  state_.frames = 0;
  for (; !frames.empty(); frames = frames.subspan(format_.frame_bytes)) {
    append(frames.first(format_.frame_bytes));
  }
}

void NStepBuilder::act(const Action& action, const Judgement& judgement) {
  if (pending_.size() == static_cast<std::size_t>(options_.n)) {
    finish_first(state_, pending_.front().discount, judgement.state_value);
  }
  pending_.push_back({.from = state_,
                      .action = action.discrete,
                      .action_value = judgement.action_value,
                      .controls = {action.continuous.begin(), action.continuous.end()}});
}

/// Adds the reward of one step to the return of every unfinished transition.
void NStepBuilder::reward_all(float reward) {
  for (auto& pending : pending_) {
    pending.n_step_return += pending.discount * static_cast<double>(reward);
    pending.discount *= options_.gamma;
  }
}

void NStepBuilder::step(float reward, std::span<const std::byte> frame) {
  reward_all(reward);
  append(frame);
}

void NStepBuilder::terminate(float reward) {
  reward_all(reward);
  finish_all({}, false, 0);
}

void NStepBuilder::truncate(float reward, std::span<const std::byte> frame, float state_value) {
  reward_all(reward);
  append(frame);
  finish_all(state_, true, state_value);
}

void NStepBuilder::cut(float state_value) { finish_all(state_, true, state_value); }

/// Finishes all transitions at an episode's end: "Multi-step returns are truncated if the episode
/// ends in fewer than n steps" (Ape-X, section 3.1).
void NStepBuilder::finish_all(ObservationView to, bool bootstrap, float state_value) {
  while (!pending_.empty()) {
    const auto& first = pending_.front();
    finish_first(bootstrap ? to : first.from, bootstrap ? first.discount : 0, state_value);
  }
  state_.frames = 0;
}

/// Finishes the oldest unfinished transition. Its first priority is its absolute n-step TD error,
/// computed from the actor's own values.
void NStepBuilder::finish_first(ObservationView to, double discount, float state_value) {
  const auto& first = pending_.front();
  const double target = first.n_step_return + discount * static_cast<double>(state_value);
  segment_->add(
      {.from = first.from,
       .to = to,
       .action = first.action,
       .n_step_return = static_cast<float>(first.n_step_return),
       .discount = static_cast<float>(discount),
       .priority = static_cast<float>(std::abs(target - static_cast<double>(first.action_value)))},
      first.controls);
  pending_.pop_front();
}

bool NStepBuilder::full() const {
  const auto complete = segment_->transitions().size();
  return complete >= options_.transitions ||
         (complete > 0 && segment_->frames().size() >= kManyFrames);
}

std::unique_ptr<Segment> NStepBuilder::take() {
  auto taken = std::exchange(segment_, make_segment());
  const auto& oldest = pending_.empty() ? state_ : pending_.front().from;
  if (oldest.frames > 0) {
    const auto first = oldest.oldest();
    segment_->frames().append(taken->frames(), first, taken->frames().size());
    const auto move = [&](ObservationView& view) {
      view.newest = static_cast<std::uint16_t>(view.newest - first);
    };
    for (auto& pending : pending_) move(pending.from);
    move(state_);
  }
  taken->shrink();
  return taken;
}

void NStepBuilder::save(StateWriter& writer) const {
  segment_->save(writer);
  writer.put(state_);
  writer.put(static_cast<std::uint64_t>(pending_.size()));
  for (const auto& pending : pending_) {
    writer.put(pending.from);
    writer.put(pending.action);
    writer.put(pending.action_value);
    writer.put(pending.n_step_return);
    writer.put(pending.discount);
    writer.put_values(pending.controls);
  }
}

void NStepBuilder::load(StateReader& reader) {
  segment_ = make_segment();
  segment_->load(reader);
  state_ = reader.get<ObservationView>();
  pending_.clear();
  const auto fits = [&](ObservationView view) {
    return view.frames <= format_.stack && view.newest < segment_->frames().size() &&
           view.frames <= view.newest + 1;
  };
  const auto count = reader.get<std::uint64_t>();
  bool whole =
      count <= static_cast<std::uint64_t>(options_.n) && (state_.frames == 0 || fits(state_));
  for (std::uint64_t i = 0; whole && i < count; ++i) {
    Pending pending{.from = reader.get<ObservationView>()};
    pending.action = reader.get<std::int32_t>();
    pending.action_value = reader.get<float>();
    pending.n_step_return = reader.get<double>();
    pending.discount = reader.get<double>();
    pending.controls = reader.get_values<float>();
    whole = pending.from.frames > 0 && fits(pending.from) &&
            pending.controls.size() == format_.action_dims;
    if (!whole) break;
    pending_.push_back(std::move(pending));
  }
  if (!whole) throw Error("an actor's unfinished transitions are damaged, or of another format");
}

}  // namespace tandem
