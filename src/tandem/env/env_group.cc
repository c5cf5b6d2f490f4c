#include "tandem/env/env_group.h"

#include <array>

namespace tandem {
namespace {

class EnvOfGroup : public Env {
 public:
  explicit EnvOfGroup(std::unique_ptr<EnvGroup> group)
      : group_(std::move(group)), spec_(group_->spec()) {
    spec_.saves = false;
  }

  [[nodiscard]] const EnvSpec& spec() const override { return spec_; }

  void reset(Stream&, std::span<std::byte> frames) override { answer({.frames = frames}); }

  StepResult step(std::span<const Action> actions, Stream&, std::span<std::byte> frames) override {
    return answer({.actions = actions, .frames = frames});
  }

  [[nodiscard]] Picture render() const override { return group_->render(0); }

 private:
  StepResult answer(const GroupRequest& request) {
    group_->begin(std::array{request});
    const auto answers = group_->finish(1);
    if (answers.front().error) std::rethrow_exception(answers.front().error);
    return answers.front().result;
  }

  std::unique_ptr<EnvGroup> group_;
  EnvSpec spec_;
};

}  // namespace

EnvFactory EnvFactory::of_groups(MakeGroup make_group) {
  EnvFactory factory;
  factory.make_group_ = std::move(make_group);
  return factory;
}

std::unique_ptr<Env> EnvFactory::operator()(int index) const {
  return makes_groups() ? make_env_of(group(index, 1)) : make_env_(index);
}

std::unique_ptr<Env> make_env_of(std::unique_ptr<EnvGroup> group) {
  return std::make_unique<EnvOfGroup>(std::move(group));
}

}  // namespace tandem
