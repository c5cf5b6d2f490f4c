// A plug-in whose environment has two agents with continuous actions, for parallel_env_test.py.
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/family.h"

namespace {

constexpr int kAgents = 2;
constexpr int kDims = 3;

/// An agent's frame is its last action and the step; its reward is the action's sum. "walk" ends by
/// a limit after four steps, "fall" by itself.
class Team : public tandem::Env {
 public:
  explicit Team(bool falls) : falls_(falls) {
    spec_ = {.frame_shape = {kDims + 1},
             .stack = 2,
             .action_low = {-1, -1, -1},
             .action_high = {1, 2, 3},
             .agents = kAgents};
  }

  [[nodiscard]] const tandem::EnvSpec& spec() const override { return spec_; }

  void reset(tandem::Stream&, std::span<std::byte> frames) override {
    step_ = 0;
    frames_ = {};
    write(frames);
  }

  tandem::StepResult step(std::span<const tandem::Action> actions, tandem::Stream&,
                          std::span<std::byte> frames) override {
    ++step_;
    for (int agent = 0; agent < kAgents; ++agent) {
      rewards_[agent] = 0;
      for (int i = 0; i < kDims; ++i) {
        frames_[agent][i] = actions[agent].continuous[i];
        rewards_[agent] += frames_[agent][i];
      }
      frames_[agent][kDims] = static_cast<float>(step_);
    }
    write(frames);
    const bool over = step_ == 4;
    return {.terminated = over && falls_,
            .truncated = over && !falls_,
            .game_over = over,
            .rewards = rewards_};
  }

 private:
  void write(std::span<std::byte> frames) const {
    std::memcpy(frames.data(), frames_.data(), sizeof(frames_));
  }

  bool falls_;
  tandem::EnvSpec spec_;
  int step_ = 0;
  std::array<std::array<float, kDims + 1>, kAgents> frames_{};
  std::array<float, kAgents> rewards_{};
};

class TeamFamily : public tandem::EnvFamily {
 public:
  [[nodiscard]] std::vector<std::string> names() const override { return {"fall", "walk"}; }
  [[nodiscard]] tandem::FieldList fields() override { return {}; }
  [[nodiscard]] std::unique_ptr<tandem::Env> make(const std::string& name, std::uint64_t) override {
    if (name != "fall" && name != "walk") throw tandem::Error("no environment " + name);
    return std::make_unique<Team>(name == "fall");
  }
};

std::unique_ptr<tandem::EnvFamily> create() { return std::make_unique<TeamFamily>(); }

}  // namespace

extern "C" const tandem::PluginInfo* tandem_plugin() {
  static constexpr tandem::PluginInfo kInfo = {
      .abi = tandem::kPluginAbi, .name = "team", .licence = "Apache-2.0", .create = create};
  return &kInfo;
}
