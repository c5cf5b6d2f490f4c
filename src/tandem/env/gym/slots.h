// Where requests, actions, frames and results lie in the memory that workers share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "tandem/env/env.h"
#include "tandem/env/gym/shared_memory.h"

namespace tandem {

// worker.py has the same numbers.
enum class SlotRequest : std::uint8_t { none, reset, step, step_and_reset, render };
enum class SlotAnswer : std::uint8_t { none, done, failed };
/// When a worker rings: after all that it was asked, after each environment, or never more.
enum class Ring : std::uint8_t { when_all, when_each, close };

/// The shared memory, with a slot for each environment. A worker and the group write to a slot in
/// turns: the group until it sets the request, then the worker until it sets the answer. Not
/// thread-safe.
class Slots {
 public:
  /// Gives `memory` the size that it needs and keeps a reference to it.
  Slots(const EnvSpec& spec, int count, SharedMemory& memory);

  /// The places of all parts, for workers.
  [[nodiscard]] nlohmann::json layout() const;

  void set_ring(Ring ring);

  /// Forgets a request and an answer: their worker is gone.
  void clear(int env);
  /// Discrete actions are one 32-bit integer; others are numbers, kept within their bounds.
  void set_action(int env, const Action& action);
  /// Publishes all that was written to the slot.
  void request(int env, SlotRequest request);

  /// Takes the answer, `none` while there is none. All that the worker wrote is then visible.
  SlotAnswer take_answer(int env);
  [[nodiscard]] float reward(int env) const;
  [[nodiscard]] bool terminated(int env) const;
  [[nodiscard]] bool truncated(int env) const;
  /// The error of an answer `failed`, with its traceback.
  [[nodiscard]] std::string_view text(int env) const;
  [[nodiscard]] std::span<const std::byte> frame(int env) const;
  [[nodiscard]] std::span<const std::byte> first_frame(int env) const;

 private:
  // Parts of the memory, each with `bytes` for each environment.
  struct Part {
    const char* name;
    std::size_t bytes;
    std::size_t begin = 0;
  };
  enum PartName { requests, answers, ends, rewards, actions, frames, first_frames, texts };
  static constexpr std::size_t kParts = 8;

  [[nodiscard]] std::span<std::byte> part(PartName name, int env) const;

  const EnvSpec& spec_;
  SharedMemory& memory_;
  std::array<Part, kParts> parts_;
};

}  // namespace tandem
