#include "tandem/trainer/agent_starts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/env/normalised_env.h"

namespace tandem {
namespace {

using Options = std::vector<std::pair<std::string, std::string>>;

// Options on which no state in the middle of a whole game depends, beside those of the machine:
// those of the start and the end of games, and of the agent's view, which starts_for() restores.
constexpr std::array<std::string_view, 10> kFree = {
    "id",       "normalise",  "normalise_rewards",  "observation_mean", "observation_deviation",
    "noop_max", "fire_reset", "life_loss_terminal", "max_frames",       "emulator"};

Options options_of(EnvConfig env) {
  Options options;
  for (const auto& field : env.fields()) {
    if (is_of_machine(field.key)) continue;
    if (std::ranges::find(kFree, field.key) != kFree.end()) continue;
    options.emplace_back(field.key, field_text(field));
  }
  return options;
}

std::string policy_of(const Agent& agent, Play play) {
  if (play == Play::uniform) return "uniformly random actions";
  const auto& config = agent.config();
  return fmt::format("{} with {} after {} steps of training, {} actions", config.system_name,
                     config.algo, agent.step(), play == Play::greedy ? "greedy" : "sampled");
}

}  // namespace

StartFile record_starts(Agent& agent, const StartsOptions& options) {
  const auto& env = agent.config().env;
  StartFile content{.env = env.id,
                    .options = options_of(env),
                    .policy = policy_of(agent, options.play),
                    .seed = options.seed,
                    .starts = record_starts(options, agent.environments(options.seed),
                                            agent.network(), *agent.algorithm().acting)};
  if (const auto scale = env.scale()) {
    for (auto& start : content.starts) denormalise(*scale, start.observations);
  }
  return content;
}

std::vector<StartState> starts_for(const Agent& agent, StartFile content, const std::string& name) {
  const auto& env = agent.config().env;
  if (content.env != env.id) {
    throw Error(
        fmt::format("the starts in {} are of {}, and this agent plays {}; record some of "
                    "its own by `tandem starts`",
                    name, content.env, env.id));
  }
  const auto options = options_of(env);
  for (const auto& [key, text] : content.options) {
    if (is_of_machine(key)) continue;  // in files of older versions
    const auto own = std::ranges::find(options, key, &Options::value_type::first);
    if (own != options.end() && own->second == text) continue;
    const auto present = own == options.end() ? "none" : own->second;
    throw Error(
        fmt::format("the starts in {} were recorded with env.{} = {}, and this agent plays with "
                    "{}; record some with the same option by `tandem starts`",
                    name, key, text, present));
  }
  if (const auto scale = env.scale()) {
    for (auto& start : content.starts) normalise(*scale, start.observations);
  }
  return std::move(content.starts);
}

}  // namespace tandem
