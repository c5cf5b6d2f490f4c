#include "tandem/trainer/whole_games.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <variant>

#include "tandem/base/error.h"
#include "tandem/run/evaluation.h"

namespace tandem {
namespace {

constexpr std::int64_t kNoops = 30;  // no-ops at most; PAAC, section 5.1
constexpr auto kNoopKey = "noop_max";
constexpr auto kFramesKey = "max_frames";
constexpr auto kStepsKey = "max_steps";
constexpr auto kKwargsKey = "kwargs";

/// Whether the arguments of a Gymnasium environment, a JSON object, limit its episodes.
bool limits_episodes(const std::string& kwargs) {
  const auto given = nlohmann::json::parse(kwargs, nullptr, /*allow_exceptions=*/false);
  if (!given.is_object()) return false;  // starting the environment tells of the mistake
  const auto limit = given.find("max_episode_steps");
  return limit != given.end() && limit->is_number_integer() && limit->get<std::int64_t>() > 0;
}

/// Whether this option of an environment says when games end.
bool limits_games(const Field& field) {
  const auto value = field_value(field);
  if (field.key == kKwargsKey) {
    const auto* kwargs = std::get_if<std::string>(&value);
    return kwargs != nullptr && limits_episodes(*kwargs);
  }
  if (field.key != kFramesKey && field.key != kStepsKey) return false;
  const auto* limit = std::get_if<std::int64_t>(&value);
  return limit != nullptr && *limit > 0;
}

}  // namespace

void play_whole_games(EnvConfig& env) {
  for (const auto& field : env.fields()) {
    if (field.key != "life_loss_terminal" || field_value(field) == FieldValue(false)) continue;
    const bool knows_fire = std::ranges::count(field.choices, "fire") > 0;
    set_field(field, knows_fire ? FieldValue(std::string("fire")) : FieldValue(false));
  }
}

void choose_start(EnvConfig& env, const std::string& start, const std::string& where) {
  if (start != "noop" && start != "fixed") {
    throw Error(fmt::format("{}: games start by noop or fixed", where));
  }
  const auto fields = env.fields();
  const auto found = std::ranges::find(fields, kNoopKey, &Field::key);
  if (found == fields.end()) {
    throw Error(fmt::format("{}: {} has no no-op starts (no key env.{}); leave it out", where,
                            env.id, kNoopKey));
  }
  set_field(*found, start == "noop" ? kNoops : std::int64_t{0});
}

void limit_to_thirty_minutes(EnvConfig& env) {
  for (const auto& field : env.fields()) {
    if (field.key == kFramesKey) set_field(field, kThirtyMinutes);
  }
}

std::optional<std::int64_t> most_frames(EnvConfig env) {
  for (const auto& field : env.fields()) {
    if (field.key == kFramesKey) return std::get<std::int64_t>(field_value(field));
  }
  return std::nullopt;
}

std::int64_t most_game_steps(EnvConfig env) {
  return std::ranges::any_of(env.fields(), limits_games) ? 0 : kMostGameSteps;
}

void choose_protocol(EnvConfig& env, const std::string& protocol) {
  if (protocol == "noop") {
    choose_start(env, protocol, "protocol noop");
  } else if (protocol != "sampled_starts") {
    throw Error(fmt::format("protocol {}: games are played by noop or sampled_starts", protocol));
  }
  limit_to_thirty_minutes(env);
}

}  // namespace tandem
