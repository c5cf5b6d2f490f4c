// A trained agent as files that other programs read.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "tandem/env/env.h"
#include "tandem/nn/architecture.h"
#include "tandem/trainer/agent.h"
#include "tandem/trainer/config.h"

namespace tandem {

/// The agent's network and actions as JSON:
///
///     tandem       the version that wrote it
///     system, algorithm, env   their names
///     steps        steps of all environments until the checkpoint
///     actions      {"kind": "discrete", "count": 6, "start": 0, "names": [...]}, where the
///                  environment's users see actions from "start" on, or {"kind": "continuous",
///                  "low": [...], "high": [...]}, where null means that there is no bound
///     policy_head  the meaning of the policy head's outputs: "logits", "action values",
///                  "advantages", "mean and variance" or "action"
///     network      as to_json() of the architecture. Where env.normalise is on, its input_steps
///                  begin with {"kind": "normalise", "mean": [...], "deviation": [...], "limit":
///                  10}, with a number for each number of an observation: the input are the
///                  environment's raw observations. Running statistics, which are among the
///                  parameters, become such a step
///
/// The config must be that of a run that has begun.
[[nodiscard]] nlohmann::ordered_json describe(const Config& config, const EnvSpec& spec,
                                              const Architecture& architecture,
                                              std::span<const float> parameters,
                                              std::int64_t steps);

/// Writes network.json, which is the description, and model.safetensors, the parameters by their
/// names. The folder is new or empty; it gets both files or none. Throws Error for any other folder
/// and when a file cannot be written.
void write_parts(const Agent& agent, const std::filesystem::path& folder);

}  // namespace tandem
