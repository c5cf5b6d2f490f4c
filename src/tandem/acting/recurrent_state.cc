#include "tandem/acting/recurrent_state.h"

#include <algorithm>

#include "tandem/base/error.h"

namespace tandem {

RecurrentState::RecurrentState(const Architecture& architecture, int envs)
    : size_(static_cast<std::size_t>(architecture.state_size())) {
  if (size_ == 0) return;
  states_.resize(static_cast<std::size_t>(envs) * size_);
  looked_at_.resize(states_.size());
  episode_starts_.assign(static_cast<std::size_t>(envs), 1);
  starts_looked_at_.resize(episode_starts_.size());
}

void RecurrentState::restart() { std::ranges::fill(episode_starts_, std::uint8_t{1}); }

void RecurrentState::restart(int env) {
  if (size_ > 0) episode_starts_[static_cast<std::size_t>(env)] = 1;
}

Inputs RecurrentState::look(std::span<const int> ids, std::span<const std::byte> observations) {
  if (size_ == 0) return {.observations = observations};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::ranges::copy(of(ids[i]), &looked_at_[i * size_]);
    starts_looked_at_[i] = episode_starts_[static_cast<std::size_t>(ids[i])];
  }
  return {.observations = observations,
          .state = std::span(looked_at_).first(ids.size() * size_),
          .episode_starts = std::span(starts_looked_at_).first(ids.size())};
}

void RecurrentState::keep(std::span<const int> ids) {
  if (size_ == 0) return;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::ranges::copy(std::span(looked_at_).subspan(i * size_, size_), of(ids[i]).begin());
    episode_starts_[static_cast<std::size_t>(ids[i])] = 0;
  }
}

void RecurrentState::copy_to(std::span<float> states,
                             std::span<std::uint8_t> episode_starts) const {
  std::ranges::copy(states_, states.begin());
  std::ranges::copy(episode_starts_, episode_starts.begin());
}

void RecurrentState::save(StateWriter& writer) const {
  if (size_ == 0) return;
  writer.put_values(states_);
  writer.put_values(episode_starts_);
}

void RecurrentState::load(StateReader& reader) {
  if (size_ == 0) return;
  const auto read = [&](auto& values) {
    reader.get_into(
        std::as_writable_bytes(std::span(values)),
        "the saved recurrent states are those of another network or of other environments");
  };
  read(states_);
  read(episode_starts_);
}

std::span<float> RecurrentState::of(int env) {
  return std::span(states_).subspan(static_cast<std::size_t>(env) * size_, size_);
}

}  // namespace tandem
