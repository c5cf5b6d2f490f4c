#include "tandem/trainer/whole_games.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "tandem/base/error.h"

namespace tandem {
namespace {

constexpr std::int64_t kNoops = 30;  // no-ops at most; PAAC, section 5.1
constexpr auto kNoopKey = "noop_max";

}  // namespace

void play_whole_games(EnvConfig& env) {
  for (const auto& field : env.fields()) {
    if (field.key == "life_loss_terminal") set_field(field, false);
  }
}

std::optional<Setting> start_setting(const std::string& start, EnvConfig& env,
                                     const std::string& where) {
  if (start != "noop" && start != "fixed") return std::nullopt;
  const auto fields = env.fields();
  if (std::ranges::find(fields, kNoopKey, &Field::key) == fields.end()) {
    throw Error(fmt::format("{}: {} has no no-op starts (no key env.{}); leave it out", where,
                            env.id, kNoopKey));
  }
  return Setting{fmt::format("env.{}", kNoopKey), start == "noop" ? fmt::format("{}", kNoops) : "0",
                 where};
}

}  // namespace tandem
