#include "tandem/cluster/roles.h"

#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "tandem/run/checkpoint.h"
#include "tandem/run/run_directory.h"

namespace tandem {
namespace {

ActorPlan plan_of_system(const System& system, const ActorContext& context,
                         const RoleOrder& order) {
  return cluster_way_of(system).plan_actor(system, context, order);
}

/// An actor that takes the place of another one, or goes on with a state, has no games to go on
/// with if they cannot be saved.
ActorContext context_of(Assembly& assembly, const RoleOrder& order, bool has_state) {
  if ((order.incarnation > 1 || has_state) && !assembly.spec().saves) {
    assembly.begin_other_games(order.run ^ order.incarnation);
  }
  return assembly.actor_context();
}

}  // namespace

bool lacks_python(const std::string& python) {
  std::error_code hidden;  // in a folder that this user may not look into
  return python.find('/') != std::string::npos && !std::filesystem::exists(python, hidden);
}

Config config_of(const RoleOrder& order) {
  auto settings = parse_toml(order.config, "the run's config");
  for (auto& setting : settings) {
    if (setting.key != "env.python" || order.python.empty()) continue;
    const auto& named = std::get<std::string>(setting.value);
    if (named.empty() || lacks_python(named)) setting.value = order.python;
  }
  return load_config("", settings);
}

Config on_cluster(const Config& config, std::shared_ptr<ClusterLink> link) {
  auto changed = config;
  changed.system =
      ClonePtr<System>(cluster_way_of(*config.system).on_cluster(*config.system, std::move(link)));
  return changed;
}

ActorRole::ActorRole(const RoleOrder& order, std::vector<std::byte> state,
                     const PlanActor& plan_actor)
    : assembly_(config_of(order)), context_(context_of(assembly_, order, !state.empty())) {
  const System& system = *assembly_.config().system;
  auto plan =
      plan_actor ? plan_actor(system, context_, order) : plan_of_system(system, context_, order);
  actor_ = std::make_unique<ClusterActor>(
      ClusterActorOptions{.self = order.self(kFirstActorPart),
                          .receivers = std::move(plan.receivers),
                          .parameters = assembly_.learner().parameters().size(),
                          .window = plan.window,
                          .lockstep = plan.lockstep},
      std::move(plan.make_player), std::move(state));
}

std::unique_ptr<Shard> make_shard(const RoleOrder& order) {
  const auto config = config_of(order);
  const System& system = *config.system;
  return std::make_unique<Shard>(cluster_way_of(system).shard_options(
      system, config.env.spec(), static_cast<std::uint64_t>(config.run.seed), order));
}

std::map<int, std::vector<std::byte>> saved_actors(const std::filesystem::path& run) {
  std::map<int, std::vector<std::byte>> states;
  const auto checkpoints = RunPaths{run}.checkpoints();
  if (!has_checkpoint(checkpoints)) return states;
  const auto found = find_latest(checkpoints, [](const std::string&) {});
  constexpr std::string_view kPrefix = "actor_";
  for (const auto& [name, bytes] : found.checkpoint.blobs) {
    if (!name.starts_with(kPrefix)) continue;
    int rank = 0;
    const char* end = name.data() + name.size();
    // A run of one machine keeps more by longer names, such as actor_0_successors.
    if (std::from_chars(name.data() + kPrefix.size(), end, rank).ptr == end) states[rank] = bytes;
  }
  return states;
}

}  // namespace tandem
