// A program that trains an agent in its own environment, and then plays with it.
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tandem/base/error.h"
#include "tandem/trainer/agent.h"
#include "tandem/trainer/training.h"

namespace {

/// One of two lights is on; pressing the button under it pays 1. An episode has ten steps.
class Lights : public tandem::Env {
 public:
  Lights() {
    spec_.frame_shape = {2};  // one number a light: 1 if it is on
    spec_.num_actions = 2;
  }

  [[nodiscard]] const tandem::EnvSpec& spec() const override { return spec_; }

  void reset(tandem::Stream& stream, std::span<std::byte> frame) override {
    steps_ = 0;
    show(stream, frame);
  }

  tandem::StepResult step(std::span<const tandem::Action> actions, tandem::Stream& stream,
                          std::span<std::byte> frame) override {
    const float reward = actions.front().discrete == lit_ ? 1 : 0;
    const bool over = ++steps_ == 10;
    show(stream, frame);
    return {.reward = reward, .terminated = over, .game_over = over};
  }

  void save(tandem::StateWriter& writer) const override { writer.put(std::array{lit_, steps_}); }
  void load(tandem::StateReader& reader) override {
    const auto state = reader.get<std::array<std::int32_t, 2>>();
    lit_ = state[0];
    steps_ = state[1];
  }

 private:
  void show(tandem::Stream& stream, std::span<std::byte> frame) {
    lit_ = static_cast<std::int32_t>(stream.below(2));
    const std::array<float, 2> lights = {lit_ == 0 ? 1.0F : 0.0F, lit_ == 1 ? 1.0F : 0.0F};
    std::memcpy(frame.data(), lights.data(), sizeof(lights));
  }

  tandem::EnvSpec spec_;
  std::int32_t lit_ = 0;
  std::int32_t steps_ = 0;
};

class LightsFamily : public tandem::EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {"two"}; }
  [[nodiscard]] tandem::FieldList fields() override { return {}; }
  [[nodiscard]] std::unique_ptr<tandem::Env> make(const std::string&, std::uint64_t) override {
    return std::make_unique<Lights>();
  }
};

void train_and_play(const std::filesystem::path& run) {
  auto catalogue = std::make_shared<tandem::Catalogue>(*tandem::published());
  catalogue->families.push_back({"lights", [] { return std::make_unique<LightsFamily>(); }});
  const auto config = tandem::make_config(
      "paac",
      {"env.id=lights:two", "net.arch=mlp", "run.steps=40000", "optimizer.lr=0.003",
       "optimizer.anneal_steps=40000", "optimizer.epsilon=1e-5"},
      catalogue);
  tandem::Training(config, run, false).run({.progress = nullptr});

  auto agent = tandem::Agent::load(run, {}, catalogue);
  auto player = agent.player(1);
  constexpr int kEpisodes = 20;
  float total = 0;
  Lights lights;
  tandem::Stream stream(7, 0);
  std::array<std::byte, 2 * sizeof(float)> frame;
  for (int episode = 0; episode < kEpisodes; ++episode) {
    lights.reset(stream, frame);
    player.restart(0);
    for (bool over = false; !over;) {
      const auto action = player.act(frame, tandem::Play::greedy).front();
      const auto result = lights.step(std::array{action}, stream, frame);
      total += result.reward;
      over = result.terminated;
    }
  }
  std::printf("mean return of %d episodes: %.2f of 10\n", kEpisodes, total / kEpisodes);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: embed FOLDER  (of the run, which must not be there yet)\n");
    return 2;
  }
  try {
    train_and_play(argv[1]);
    return 0;
  } catch (const tandem::Error& error) {
    std::fprintf(stderr, "embed: %s\n", error.what());
    return 2;
  }
}
