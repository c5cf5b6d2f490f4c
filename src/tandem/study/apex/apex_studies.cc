#include "tandem/study/apex/apex_studies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tandem/algo/dqn.h"
#include "tandem/base/error.h"
#include "tandem/systems/apex/apex_system.h"
#include "tandem/systems/apex/returns_by_epsilon.h"

namespace tandem {
namespace {

/// The hyperparameters of Ape-X. The config must be one of Ape-X.
const ApexSystem& numbers(const Config& config) {
  return dynamic_cast<const ApexSystem&>(*config.system);
}

/// A replay must be filled, and refilled, or it forgets nothing: then it is no other replay than a
/// larger one, and none is more recent than another.
void require_refilled(const Config& config) {
  const auto& replay = numbers(config).replay;
  if (config.run.steps >= 2 * replay.capacity) return;
  const auto most = config.run.steps / 2;
  throw Error(fmt::format(
      "run.steps = {} is too few to fill replay.capacity = {} and to replace its contents: this "
      "study needs twice as many steps as the capacity, such as --set replay.capacity={}{}",
      config.run.steps, replay.capacity, most,
      most < replay.min_fill ? fmt::format(" --set replay.min_fill={}", most / 2) : ""));
}

/// Throws Error if a setting that adds `inserted` transitions does not fill the replay.
void require_filled(const Config& config, std::int64_t inserted) {
  const auto capacity = numbers(config).replay.capacity;
  if (inserted >= capacity) return;
  throw Error(
      fmt::format("the fewest actors add {} transitions in their part of run.steps = {}, which do "
                  "not fill replay.capacity = {}: set it to {} at most",
                  inserted, config.run.steps, capacity, inserted));
}

/// Figure 5: a replay of an eighth, a quarter, half and all of the capacity.
std::string capacities(const Config& config) {
  const auto largest = numbers(config).replay.capacity;
  std::vector<std::int64_t> values;
  for (const int part : {8, 4, 2, 1}) {
    const auto capacity = largest / part;
    if (capacity >= numbers(config).replay.min_fill) values.push_back(capacity);
  }
  if (values.size() < 2) {
    throw Error(fmt::format("replay.capacity = {} cannot be halved with replay.min_fill = {}",
                            numbers(config).replay.capacity, numbers(config).replay.min_fill));
  }
  return fmt::format("replay.capacity={}", fmt::join(values, ","));
}

/// A setting with `envs` of the `most` environments, but with as many updates as with all. It
/// stands for the paper's run of equal duration, whose learner does not wait for actors. Updates
/// begin when replay.min_fill transitions are there, which takes a setting with copies fewer steps.
/// The steps after that shrink in proportion to the environments. The samples of each insert grow
/// accordingly, and are divided among the copies.
std::string part_of(const Config& config, std::int64_t most, std::int64_t envs,
                    std::int64_t copies) {
  if (numbers(config).replay.samples_per_insert == 0) {
    throw Error(
        "replay.samples_per_insert = 0 lets the learner go at its own pace, while this study "
        "compares equally many updates: set it to 2, say");
  }
  const auto filling = numbers(config).replay.min_fill;
  const auto learning = config.run.steps - filling;
  if (learning <= 0) {
    throw Error(fmt::format("run.steps = {} do not fill replay.min_fill = {}: set more steps",
                            config.run.steps, filling));
  }
  const auto steps = filling / copies + learning * envs / most;
  require_filled(config, steps * copies);
  return fmt::format("{}+{}+{}+{:g}", envs, copies, steps,
                     numbers(config).replay.samples_per_insert * static_cast<double>(most) /
                         static_cast<double>(envs * copies));
}

std::string parts(const std::vector<std::string>& settings) {
  return fmt::format("apex.envs+apex.copies+run.steps+replay.samples_per_insert={}",
                     fmt::join(settings, ","));
}

/// Whether `envs` environments in each thread are enough for the least and the largest epsilon.
bool explore_differently(const Config& config, std::int64_t envs) {
  return envs * numbers(config).config.actors >= 2;
}

/// Figure 6: all actors, fewer actors, and fewer actors whose transitions are copied. With the
/// copies, the replay is as recent as with all actors.
std::string copies(const Config& config) {
  const auto most = numbers(config).config.envs;
  for (const std::int64_t times : {8, 4, 2}) {
    const auto envs = most / times;
    if (most % times != 0 || !explore_differently(config, envs)) continue;
    return parts({part_of(config, most, most, 1), part_of(config, most, envs, 1),
                  part_of(config, most, envs, times)});
  }
  throw Error(
      fmt::format("apex.envs = {} leaves no half of them to copy from; set it to 8, say", most));
}

/// Figure 4: varies the environments of each thread, because each environment counts as an actor.
std::string actors(const Config& config) {
  const auto most = std::max<std::int64_t>(8, numbers(config).config.envs);
  std::vector<std::string> settings;
  for (auto envs = most; envs > 0 && explore_differently(config, envs); envs /= 2) {
    settings.insert(settings.begin(), part_of(config, most, envs, 1));
  }
  return parts(settings);
}

/// Figure 7: a different epsilon for each actor, or a set of six epsilons for all.
std::string epsilons(const Config& config) {
  constexpr int kSet = 6;  // appendix B
  const auto actors = numbers(config).config.actors * numbers(config).config.envs;
  if (actors <= kSet) {
    throw Error(fmt::format(
        "apex.actors = {} of apex.envs = {} have no more epsilons than a set of {}; set "
        "apex.envs to 8, say",
        numbers(config).config.actors, numbers(config).config.envs, kSet));
  }
  return fmt::format("dqn.epsilons=0,{}", kSet);
}

constexpr std::array<ApexStudy, 5> kStudies = {{
    {"actors", "do more actors learn better?", "Figure 4"},
    {"capacity", "does a larger replay?", "Figure 5"},
    {"recency", "or is it that what they replay is recent?", "Figure 6, appendix A"},
    {"epsilons", "or that each explores in its own way?", "Figure 7, appendix B"},
    {"priorities", "does it take priorities?", "Figure 12"},
}};

}  // namespace

std::span<const ApexStudy> apex_studies() { return kStudies; }

std::string variation_of(const std::string& study, const Config& config) {
  const auto known = std::ranges::find(kStudies, study, &ApexStudy::name);
  if (known != kStudies.end()) require_refilled(config);
  if (study == "actors") return actors(config);
  if (study == "capacity") return capacities(config);
  if (study == "recency") return copies(config);
  if (study == "epsilons") return epsilons(config);
  if (study == "priorities") return "replay.sampler=prioritized,uniform";
  std::vector<std::string> names;
  for (const auto& each : apex_studies()) names.emplace_back(each.name);
  throw Error(fmt::format("there is no study '{}'; there are {}", study, fmt::join(names, ", ")));
}

std::optional<std::string> greediest_measure(const Config& config) {
  const auto* dqn = dynamic_cast<const AlgorithmEntryOf<DqnConfig>*>(&config.algorithm());
  if (dqn == nullptr) return std::nullopt;
  return ReturnsByEpsilon::key_of(static_cast<float>(actor_epsilon(dqn->numbers, 1, 2)));
}

}  // namespace tandem
