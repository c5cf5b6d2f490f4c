#include "tandem/replay/step_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

/// Whether two ranges of the same size hold the same bytes.
bool same(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0;
}

float value_of(std::span<const float> values, std::size_t row) {
  return values.empty() ? kUnknown : values[row];
}

void require_finite(double number, const char* what, std::size_t row) {
  if (std::isfinite(number)) return;
  throw Error(fmt::format("the {} of environment {} is {}; a replay keeps finite numbers alone",
                          what, row, number));
}

void require_finite_values(std::span<const float> values, const char* what, std::size_t row) {
  if (!values.empty()) require_finite(static_cast<double>(values[row]), what, row);
}

}  // namespace

StepWriter::StepWriter(const Options& options) : options_(options) {
  for (int row = 0; row < options.rows; ++row) {
    rows_.push_back({.builder = NStepBuilder(options.format, options.transitions)});
    rows_.back().last.reserve(options.format.frame_bytes);
  }
}

std::span<const std::byte> StepWriter::observation(std::span<const std::byte> all,
                                                   std::size_t row) const {
  const auto bytes = options_.format.observation_bytes();
  return all.subspan(row * bytes, bytes);
}

std::span<const std::byte> StepWriter::newest(std::span<const std::byte> all,
                                              std::size_t row) const {
  return observation(all, row).last(options_.format.frame_bytes);
}

std::span<const std::byte> StepWriter::distinct(std::span<const std::byte> observation) const {
  const auto bytes = options_.format.frame_bytes;
  while (observation.size() > bytes &&
         same(observation.first(bytes), observation.subspan(bytes, bytes))) {
    observation = observation.subspan(bytes);
  }
  return observation;
}

void StepWriter::check(const VectorStep& step) const {
  if (step.observations.data() == step.next_observations.data()) {
    throw Error(
        "observations and next_observations are the same array, so the environment writes into the "
        "same memory again and again: copy its observations before its next step");
  }
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].resets) {
      check_reset(step, row);
    } else {
      check_row(step, row);
    }
  }
  if (!rows_[watched_].resets && !step.terminated[watched_]) check_stack(step, watched_);
}

void StepWriter::check_row(const VectorStep& step, std::size_t row) const {
  require_finite(static_cast<double>(static_cast<float>(step.rewards[row])), "reward", row);
  for (const float number : step.actions[row].continuous) {
    require_finite(static_cast<double>(number), "action", row);
  }
  require_finite_values(step.action_values, "action value", row);
  require_finite_values(step.state_values, "state value", row);
  const bool cut = step.truncated[row] && !step.terminated[row];
  if (cut) require_finite_values(step.final_values, "final value", row);
  const auto& last = rows_[row].last;
  if (last.empty() || same(last, newest(step.observations, row))) return;
  throw Error(fmt::format(
      "the observation of environment {} is not the next observation of its step before: give the "
      "observation in which the action was taken, or call end_episodes() after a reset of your own",
      row));
}

/// An environment that resets itself begins its next episode in this step: the action was taken in
/// the last observation of the ended one. After a reset by the caller the step would be the first
/// of an episode, and leaving it out would lose a transition in silence. A reward tells nothing,
/// since wrappers may shift it.
void StepWriter::check_reset(const VectorStep& step, std::size_t row) const {
  const bool ends = step.terminated[row] || step.truncated[row];
  if (!ends && same(rows_[row].last, newest(step.observations, row))) return;
  throw Error(fmt::format(
      "environment {} {}, so the environments were reset by you: say autoreset_mode=\"disabled\", "
      "or call end_episodes() after a reset of all in the middle of episodes",
      row,
      ends ? "ends again in the step after an episode's end"
           : "goes on from another observation than the last one of its ended episode"));
}

void StepWriter::check_stack(const VectorStep& step, std::size_t row) const {
  const auto older = observation(step.observations, row).subspan(options_.format.frame_bytes);
  if (same(older, observation(step.next_observations, row))) return;
  const auto stack = options_.format.stack;
  throw Error(fmt::format(
      "the next observation of environment {} is no stack of frames that goes on: with stack={} "
      "its "
      "first {} frames must be the last {} of the observation before; use stack=1 if observations "
      "are not stacked along their first dimension",
      row, stack, stack - 1, stack - 1));
}

void StepWriter::add(const VectorStep& step, Segments& full) {
  for (std::size_t row = 0; row < rows_.size(); ++row) add_row(step, row, full);
  watched_ = (watched_ + 1) % rows_.size();
}

void StepWriter::add_row(const VectorStep& step, std::size_t row, Segments& full) {
  auto& [builder, last, resets] = rows_[row];
  if (resets) {
    resets = false;
    last.clear();
    return;
  }
  if (last.empty()) builder.begin(distinct(observation(step.observations, row)));
  builder.act(step.actions[row], {.action_value = value_of(step.action_values, row),
                                  .state_value = value_of(step.state_values, row)});
  if (builder.full()) full.push_back(builder.take());
  const auto reward = static_cast<float>(step.rewards[row]);
  const auto frame = newest(step.next_observations, row);
  if (!step.terminated[row] && !step.truncated[row]) {
    builder.step(reward, frame);
    last.assign(frame.begin(), frame.end());
    return;
  }
  if (step.terminated[row]) {
    builder.terminate(reward);
  } else {
    builder.truncate(reward, frame, value_of(step.final_values, row));
  }
  if (builder.full()) full.push_back(builder.take());
  resets = options_.autoreset == Autoreset::next_step;
  last.clear();
  if (resets) last.assign(frame.begin(), frame.end());
}

void StepWriter::end_episodes(Segments& full) {
  for (auto& [builder, last, resets] : rows_) {
    if (!last.empty() && !resets) builder.cut(kUnknown);
    if (builder.full()) full.push_back(builder.take());
    last.clear();
    resets = false;
  }
}

void StepWriter::flush(Segments& full) {
  for (auto& row : rows_) {
    auto segment = row.builder.take();
    if (!segment->transitions().empty()) full.push_back(std::move(segment));
  }
}

}  // namespace tandem
