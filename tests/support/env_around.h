// A base of environments that change something about another one.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "tandem/env/builtin.h"

namespace tandem {

/// Another environment, of which a derived class changes something. Cartpole by default.
class EnvAround : public Env {
 public:
  explicit EnvAround(std::unique_ptr<Env> inner = make_builtin_family()->make("cartpole", 0))
      : inner_(std::move(inner)) {}

  const EnvSpec& spec() const override { return inner_->spec(); }
  void reset(Stream& stream, std::span<std::byte> frame) override { inner_->reset(stream, frame); }
  StepResult step(std::span<const Action> actions, Stream& stream,
                  std::span<std::byte> frame) override {
    return inner_->step(actions, stream, frame);
  }
  void save(StateWriter& writer) const override { inner_->save(writer); }
  void load(StateReader& reader) override { inner_->load(reader); }

 private:
  const std::unique_ptr<Env> inner_;
};

}  // namespace tandem
