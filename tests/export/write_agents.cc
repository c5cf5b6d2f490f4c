// Writes an agent with random parameters for the network of each preset, and what tandem makes of
// random observations: write_agents FOLDER.
//
// FOLDER/I/ has a run, the parts that `tandem export` begins from, and
//
//     observations.npy  [steps, batch, ...], raw
//     policy.npy, value.npy, action.npy, state.npy   of each step, [steps, batch, ...]
//     preset.txt        the preset, its algorithm and its environment
//
// At the second step the game of the first sample begins anew. Presets whose networks, heads and
// actions are equal have one agent. A preset whose plug-in is not built is left out, and named on
// the standard error output.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/acting/env_actions.h"
#include "tandem/base/error.h"
#include "tandem/env/normalised_env.h"
#include "tandem/io/npy.h"
#include "tandem/nn/batch.h"
#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"
#include "tandem/trainer/agent.h"
#include "tandem/trainer/agent_description.h"
#include "tandem/trainer/assembly.h"
#include "tandem/trainer/default_preset.h"
#include "tandem/trainer/presets.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr int kSteps = 4;
constexpr std::size_t kBatch = 3;

struct Case {
  std::string preset;
  std::vector<Setting> settings;
};

/// An environment for which a general preset is the default, by the words of its table.
std::vector<Setting> environment_for(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) {
    return std::ranges::find(words, std::string(word)) != words.end();
  };
  if (has("partially_observed")) return {{"env.id", "memory", "here"}};
  if (has("continuous") && has("images")) {
    return {{"env.id", "mujoco:cartpole-balance", "here"}, {"env.pixels", "true", "here"}};
  }
  if (has("continuous")) return {{"env.id", "pendulum", "here"}};
  if (has("images")) return {{"env.id", "atari:Pong", "here"}};
  return {{"env.id", "cartpole", "here"}};
}

/// Each preset with each algorithm for which it is the default.
std::vector<Case> all_cases() {
  const auto presets = published_presets();
  const auto defaults = read_defaults(presets);
  std::vector<Case> cases;
  for (const auto& preset : presets) {
    if (preset.name.starts_with("algo/")) continue;  // a part of other presets
    auto settings = preset_settings(presets, preset.name);
    const auto found = std::ranges::find(defaults, preset.name, &DefaultFor::preset);
    const bool names_env = std::ranges::find(settings, "env.id", &Setting::key) != settings.end();
    if (found != defaults.end() && !names_env) {
      for (const auto& one : environment_for(found->situations.front())) settings.push_back(one);
    }
    if (found == defaults.end()) {
      cases.push_back({preset.name, settings});
      continue;
    }
    for (const auto& algorithm : found->algorithms) {
      cases.push_back({preset.name, settings});
      cases.back().settings.push_back({"algo", algorithm, "here"});
    }
  }
  // Residual sections, of even and odd sizes, with and without an LSTM.
  for (const auto* arch : {"net.arch=impala", "net.layers=section 5 1, section 8 2 tanh"}) {
    auto settings = preset_settings(presets, "paac/atari");
    settings.push_back({"env.id", "catch", "here"});
    const std::string words = arch;
    const auto equals = words.find('=');
    settings.push_back({words.substr(0, equals), words.substr(equals + 1), "here"});
    cases.push_back({"paac/atari", settings});
    settings.push_back({"net.lstm", "6", "here"});
    settings.push_back({"net.separate", "true", "here"});
    cases.push_back({"paac/atari", settings});
  }
  // Running statistics of a shared network, of separate ones and of a policy with its critic.
  for (const auto& [preset, env] :
       {std::pair("paac/numbers", "cartpole"), std::pair("paac/ppo_continuous", "pendulum"),
        std::pair("apex/continuous", "pendulum")}) {
    auto settings = preset_settings(presets, preset);
    settings.push_back({"env.id", env, "here"});
    settings.push_back({"env.normalise", "running", "here"});
    cases.push_back({preset, settings});
  }
  return cases;
}

/// Puts other numbers in the place of those that a run measures.
void settle(Config& config, const EnvSpec& spec, Stream& stream) {
  if (config.net.lacks_pixel_mean()) {
    config.net.pixel_mean = spec.dtype == DType::u8 ? 0.3 : 0;
  }
  if (config.env.normalise == "auto") {
    config.env.normalise = shows_numbers(spec) ? "true" : "false";
  }
  if (!config.env.lacks_scale()) return;
  ObservationScale scale;
  for (std::int64_t i = 0; i < spec.frame_shape.front(); ++i) {
    scale.mean.push_back(2 * stream.normal());
    scale.deviation.push_back(0.3 + stream.uniform());
  }
  config.env.set_scale(scale);
}

void write_run(const fs::path& folder, const Config& config, const Architecture& architecture,
               Stream& stream) {
  fs::create_directories(folder);
  std::ofstream(RunPaths{folder}.config()) << config.toml();
  std::vector<float> parameters(static_cast<std::size_t>(architecture.parameter_count()));
  auto lively = architecture;
  lively.init = "torch";  // the heads' outputs are not near 0
  initialise(lively, stream, parameters);
  Checkpoint checkpoint;
  for (const auto& info : architecture.parameters()) {
    if (info.name == "policy.weight") {  // some actions lie beyond the bounds
      constexpr float kFactor = 20;
      for (std::int64_t i = 0; i < info.count; ++i) parameters[info.offset + i] *= kFactor;
    }
    for (std::int64_t i = 0; i < info.count; ++i) {
      if (info.name == "input.mean") parameters[info.offset + i] = 2 * stream.normal();
      if (info.name == "input.variance") parameters[info.offset + i] = 0.1F + stream.uniform();
    }
    checkpoint.add_tensor(
        info.name, info.shape,
        std::span(parameters)
            .subspan(static_cast<std::size_t>(info.offset), static_cast<std::size_t>(info.count)));
  }
  write_checkpoint(checkpoint, RunPaths{folder}.checkpoints(), 1000);
}

void fill(const EnvSpec& spec, Stream& stream, std::span<std::byte> observations) {
  if (spec.dtype == DType::u8) {
    for (auto& byte : observations) byte = static_cast<std::byte>(stream.below(256));
    return;
  }
  for (std::size_t at = 0; at < observations.size(); at += sizeof(float)) {
    const float number = 3 * stream.normal();
    std::memcpy(&observations[at], &number, sizeof(number));
  }
}

/// Lets the agent see and act for some steps, and writes everything.
void write_steps(Agent& agent, Stream& stream, const fs::path& folder) {
  const auto& spec = agent.spec();
  const auto& architecture = agent.architecture();
  const auto scale = agent.config().env.scale();
  const std::int64_t batch = kBatch;
  const auto with_batch = [&](std::vector<std::int64_t> shape) {
    shape.insert(shape.begin(), batch);
    return shape;
  };
  const auto state_size = architecture.state_size();
  const auto number_type = spec.dtype == DType::u8 ? NpyType::u8 : NpyType::f32;
  NpyWriter seen(folder / "observations.npy", number_type, with_batch(spec.observation_shape()));
  NpyWriter policy(folder / "policy.npy", NpyType::f32, {batch, architecture.policy_outputs});
  NpyWriter value(folder / "value.npy", NpyType::f32, {batch});
  NpyWriter action(folder / "action.npy", NpyType::f32, {batch, spec.action_dims()});
  NpyWriter new_state(folder / "state.npy", NpyType::f32, {batch, state_size});
  std::vector<std::byte> observations(kBatch * spec.observation_bytes());
  std::vector<float> state(kBatch * static_cast<std::size_t>(state_size));
  HeadsBuffer buffer;
  EnvActions env_actions(spec, static_cast<int>(kBatch));
  std::vector<std::int32_t> discrete(kBatch);
  std::vector<float> continuous(kBatch * spec.action_low.size());
  for (int step = 0; step < kSteps; ++step) {
    fill(spec, stream, observations);
    seen.write(observations);
    if (scale != nullptr) normalise(*scale, observations);
    std::vector<std::uint8_t> starts(state.empty() ? 0 : kBatch);
    if (step == 1 && !starts.empty()) starts.front() = 1;
    const auto heads = buffer.of(architecture, batch);
    agent.network().forward(
        {.observations = observations, .state = state, .episode_starts = starts}, heads);
    policy.write(std::as_bytes(heads.logits));
    value.write(std::as_bytes(heads.value));
    new_state.write(std::as_bytes(std::span(state)));
    agent.algorithm().acting->act_greedily(heads, {discrete, continuous});
    for (const auto& one : env_actions.of({discrete, continuous})) {
      const auto number = static_cast<float>(one.discrete);
      action.write(std::as_bytes(spec.discrete() ? std::span(&number, 1) : one.continuous));
    }
  }
  seen.close();
  policy.close();
  if (architecture.value_head) value.close();
  if (!architecture.value_head) fs::remove(folder / "value.npy.part");
  action.close();
  if (state_size > 0) new_state.close();
  if (state_size == 0) fs::remove(folder / "state.npy.part");
}

/// The facts by which networks differ: all but names, steps and parameters.
std::string kind_of(nlohmann::ordered_json description) {
  for (const auto* key : {"system", "algorithm", "env", "steps"}) description.erase(key);
  return description.dump();
}

void write_all(const fs::path& folder) {
  std::set<std::string> kinds;
  for (const auto& [preset, settings] : all_cases()) {
    Stream stream(1, 0);  // the same for all, so that equal networks have equal scales
    try {
      auto config = load_config("", settings);
      const auto spec = config.env.spec();
      settle(config, spec, stream);
      const auto algorithm = make_algorithm(config, spec);
      const auto architecture = make_architecture(config, spec, algorithm);
      const std::vector<float> none(static_cast<std::size_t>(architecture.parameter_count()));
      if (!kinds.insert(kind_of(describe(config, spec, architecture, none, 0))).second) continue;
      const auto place = folder / fmt::format("{:02}", kinds.size() - 1);
      write_run(place / "run", config, architecture, stream);
      auto agent = Agent::load(place / "run");
      write_parts(agent, place / "parts");
      write_steps(agent, stream, place);
      std::ofstream(place / "preset.txt")
          << preset << ' ' << config.algo << ' ' << config.env.id << '\n';
    } catch (const Error& error) {
      fmt::print(stderr, "{}: {}\n", preset, error.what());
    }
  }
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tandem::write_all(argv[1]);
  return 0;
}
