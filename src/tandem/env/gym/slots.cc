#include "tandem/env/gym/slots.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <nlohmann/json.hpp>

namespace tandem {
namespace {

constexpr std::size_t kAlignment = 64;      // a cache line
constexpr std::size_t kTextBytes = 16'384;  // more than MOST_BYTES of faults.py
constexpr std::uint8_t kTerminated = 1;
constexpr std::uint8_t kTruncated = 2;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// The ring lies at the start of the memory.
constexpr std::size_t kRing = 0;

std::atomic_ref<std::uint8_t> shared_byte(std::byte& byte) {
  return std::atomic_ref(reinterpret_cast<std::uint8_t&>(byte));
}

}  // namespace

Slots::Slots(const EnvSpec& spec, int count, SharedMemory& memory)
    : spec_(spec),
      memory_(memory),
      parts_{{{"requests", 1},
              {"answers", 1},
              {"ends", 1},
              {"rewards", sizeof(double)},
              {"actions", sizeof(float) * static_cast<std::size_t>(spec.action_dims())},
              {"frames", aligned(spec.frame_bytes())},
              {"first_frames", aligned(spec.frame_bytes())},
              {"texts", kTextBytes}}} {
  std::size_t end = kAlignment;
  for (auto& part : parts_) {
    part.begin = end;
    end += aligned(part.bytes * static_cast<std::size_t>(count));
  }
  memory_.resize(end);
}

nlohmann::json Slots::layout() const {
  nlohmann::json layout = {
      {"size", memory_.bytes().size()}, {"ring", kRing}, {"frame_bytes", spec_.frame_bytes()}};
  for (const auto& part : parts_) {
    layout[part.name] = part.begin;
    layout[std::string(part.name) + "_bytes"] = part.bytes;
  }
  return layout;
}

std::span<std::byte> Slots::part(PartName name, int env) const {
  const auto& [_, bytes, begin] = parts_[name];
  return memory_.bytes().subspan(begin + bytes * static_cast<std::size_t>(env), bytes);
}

void Slots::set_ring(Ring ring) {
  shared_byte(memory_.bytes()[kRing]).store(static_cast<std::uint8_t>(ring));
}

void Slots::clear(int env) {
  part(requests, env).front() = {};
  part(answers, env).front() = {};
}

void Slots::set_action(int env, const Action& action) {
  const auto bytes = part(actions, env);
  if (spec_.discrete()) {
    std::memcpy(bytes.data(), &action.discrete, sizeof(action.discrete));
    return;
  }
  for (std::size_t i = 0; i < action.continuous.size(); ++i) {
    const float number =
        std::clamp(action.continuous[i], spec_.action_low[i], spec_.action_high[i]);
    std::memcpy(&bytes[i * sizeof(number)], &number, sizeof(number));
  }
}

void Slots::request(int env, SlotRequest request) {
  shared_byte(part(requests, env).front())
      .store(static_cast<std::uint8_t>(request), std::memory_order_release);
}

SlotAnswer Slots::take_answer(int env) {
  auto answer = shared_byte(part(answers, env).front());
  const auto taken = static_cast<SlotAnswer>(answer.load(std::memory_order_acquire));
  if (taken != SlotAnswer::none) answer.store(0, std::memory_order_relaxed);
  return taken;
}

float Slots::reward(int env) const {
  double reward = 0;
  std::memcpy(&reward, part(rewards, env).data(), sizeof(reward));
  return static_cast<float>(reward);
}

bool Slots::terminated(int env) const {
  return (std::to_integer<unsigned>(part(ends, env).front()) & kTerminated) != 0;
}

bool Slots::truncated(int env) const {
  return (std::to_integer<unsigned>(part(ends, env).front()) & kTruncated) != 0;
}

std::string_view Slots::text(int env) const {
  const auto bytes = part(texts, env);
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  return {begin, strnlen(begin, bytes.size())};
}

std::span<const std::byte> Slots::frame(int env) const {
  return part(frames, env).first(spec_.frame_bytes());
}

std::span<const std::byte> Slots::first_frame(int env) const {
  return part(first_frames, env).first(spec_.frame_bytes());
}

}  // namespace tandem
