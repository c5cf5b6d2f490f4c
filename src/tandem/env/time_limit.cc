#include "tandem/env/time_limit.h"

#include <utility>

namespace tandem {
namespace {

class TimeLimit : public Env {
 public:
  TimeLimit(std::unique_ptr<Env> env, std::int64_t max_steps)
      : env_(std::move(env)), max_steps_(max_steps) {}

  [[nodiscard]] const EnvSpec& spec() const override { return env_->spec(); }

  void reset(Stream& stream, std::span<std::byte> frame) override {
    steps_ = 0;
    env_->reset(stream, frame);
  }

  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    auto result = env_->step(actions, stream, frame);
    if (++steps_ >= max_steps_ && !result.terminated) result.truncated = result.game_over = true;
    return result;
  }

  void save(StateWriter& writer) const override {
    env_->save(writer);
    writer.put(steps_);
  }

  void load(StateReader& reader) override {
    env_->load(reader);
    steps_ = reader.get<std::int64_t>();
  }

  [[nodiscard]] Picture render() const override { return env_->render(); }

 private:
  std::unique_ptr<Env> env_;
  std::int64_t max_steps_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Env> make_time_limit(std::unique_ptr<Env> env, std::int64_t max_steps) {
  return std::make_unique<TimeLimit>(std::move(env), max_steps);
}

}  // namespace tandem
