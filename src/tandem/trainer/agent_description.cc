#include "tandem/trainer/agent_description.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/normalised_env.h"
#include "tandem/io/files.h"
#include "tandem/io/safetensors.h"
#include "tandem/nn/architecture_json.h"
#include "tandem/nn/input_statistics.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json bounds_json(const std::vector<float>& bounds) {
  Json numbers = Json::array();
  for (const float bound : bounds) {
    numbers.push_back(std::isfinite(bound) ? Json(bound) : Json(nullptr));
  }
  return numbers;
}

Json actions_json(const EnvSpec& spec) {
  if (spec.discrete()) {
    return {{"kind", "discrete"},
            {"count", spec.num_actions},
            {"start", spec.first_action},
            {"names", spec.action_names}};
  }
  return {{"kind", "continuous"},
          {"low", bounds_json(spec.action_low)},
          {"high", bounds_json(spec.action_high)}};
}

std::string policy_head(const AlgorithmTraits& traits, const EnvSpec& spec, bool dueling) {
  if (traits.deterministic_policy) return "action";
  if (!traits.actor_critic) return dueling ? "advantages" : "action values";
  return spec.discrete() ? "logits" : "mean and variance";
}

/// The numbers of a frame, once for each frame of an observation.
std::vector<double> of_each_frame(const std::vector<double>& numbers, std::int64_t frames) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < frames; ++i) all.insert(all.end(), numbers.begin(), numbers.end());
  return all;
}

Json normalise_json(const std::vector<double>& mean, const std::vector<double>& deviation) {
  return {{"kind", "normalise"},
          {"mean", mean},
          {"deviation", deviation},
          {"limit", kFarthestDeviation}};
}

/// The running statistics among the parameters as a step.
Json statistics_json(const Architecture& architecture, std::span<const float> parameters) {
  const InputNormaliser normaliser(architecture, parameters);
  const auto [mean, deviation] = normaliser.scale();
  return normalise_json({mean.begin(), mean.end()}, {deviation.begin(), deviation.end()});
}

/// A copy of the agent's trained parameters, by their names.
Tensors tensors_of(const Architecture& architecture, std::span<const float> parameters) {
  Tensors tensors;
  for (const auto& info : architecture.without_statistics().parameters()) {
    const auto values = parameters.subspan(static_cast<std::size_t>(info.offset),
                                           static_cast<std::size_t>(info.count));
    tensors[info.name] = {info.shape, {values.begin(), values.end()}};
  }
  return tensors;
}

}  // namespace

Json describe(const Config& config, const EnvSpec& spec, const Architecture& architecture,
              std::span<const float> parameters, std::int64_t steps) {
  auto network = to_json(architecture);
  auto& input_steps = network["input_steps"];
  if (const auto scale = config.env.scale()) {
    input_steps.insert(input_steps.begin(),
                       normalise_json(of_each_frame(scale->mean, spec.stack),
                                      of_each_frame(scale->deviation, spec.stack)));
  }
  if (architecture.normalises_inputs) {
    input_steps.insert(input_steps.begin(), statistics_json(architecture, parameters));
  }
  const auto& info = config.algorithm().info();
  return {{"tandem", TANDEM_VERSION},
          {"system", config.system_name},
          {"algorithm", info.name},
          {"env", config.env.id},
          {"steps", steps},
          {"actions", actions_json(spec)},
          {"policy_head", policy_head(info.traits, spec, architecture.dueling)},
          {"network", network}};
}

void write_parts(const Agent& agent, const fs::path& folder) {
  if (fs::exists(folder) && (!fs::is_directory(folder) || !fs::is_empty(folder))) {
    throw Error(fmt::format("{} is there already; name a new or an empty folder", folder.string()));
  }
  const auto& architecture = agent.architecture();
  const auto description =
      describe(agent.config(), agent.spec(), architecture, agent.parameters(), agent.step())
          .dump(1) +
      "\n";
  fs::path unfinished = folder.lexically_normal();
  if (!unfinished.has_filename()) unfinished = unfinished.parent_path();
  unfinished += fmt::format(".unfinished-{}", getpid());
  make_folder(unfinished);
  try {
    write_durably(unfinished / "network.json", std::as_bytes(std::span(description)));
    write_durably(unfinished / "model.safetensors",
                  encode_safetensors(tensors_of(architecture, agent.parameters())));
    fs::rename(unfinished, folder);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(unfinished, ignored);
    throw;
  }
}

}  // namespace tandem
