// The memory length problem of Osband et al., "Behaviour suite for reinforcement learning" (2020).
#include <array>
#include <cstring>

#include "tandem/env/builtin.h"

namespace tandem {
namespace {

class Memory : public Env {
 public:
  explicit Memory(const BuiltinOptions& options) : delay_(options.delay) {
    spec_ = {.dtype = DType::f32,
             .frame_shape = {3},
             .stack = options.stack,
             .num_actions = 2,
             .action_names = {"minus", "plus"},
             .partially_observed = true};
  }

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    steps_ = 0;
    cue_ = static_cast<std::int32_t>(stream.below(2));
    show(frame);
  }

  StepResult step(std::span<const Action> actions, Stream&, std::span<std::byte> frame) override {
    const bool answered = steps_ == delay_;
    ++steps_;
    show(frame);
    if (!answered) return {};
    return {.reward = actions.front().discrete == cue_ ? 1.0f : -1.0f,
            .terminated = true,
            .game_over = true};
  }

  void save(StateWriter& writer) const override {
    writer.put(steps_);
    writer.put(cue_);
  }
  void load(StateReader& reader) override {
    steps_ = reader.get<std::int64_t>();
    cue_ = reader.get<std::int32_t>();
  }

 private:
  void show(std::span<std::byte> frame) const {
    const float cue = steps_ > 0 ? 0.0f : cue_ == 1 ? 1.0f : -1.0f;
    const float due = steps_ == delay_ ? 1.0f : 0.0f;
    const auto left = static_cast<double>(delay_ - steps_) / static_cast<double>(delay_);
    const std::array values{cue, due, static_cast<float>(left)};
    std::memcpy(frame.data(), values.data(), sizeof(values));
  }

  EnvSpec spec_;
  std::int64_t delay_;
  std::int64_t steps_ = 0;
  std::int32_t cue_ = 0;
};

}  // namespace

std::unique_ptr<Env> make_memory(const BuiltinOptions& options) {
  return std::make_unique<Memory>(options);
}

}  // namespace tandem
