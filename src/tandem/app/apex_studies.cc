#include "tandem/app/apex_studies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tandem/base/error.h"

namespace tandem {
namespace {

/// Figure 5: a replay of an eighth, a quarter, half and all of the transitions.
std::string capacities(const Config& config) {
  std::vector<std::int64_t> values;
  for (const int part : {8, 4, 2, 1}) {
    const auto capacity = config.replay.capacity / part;
    if (capacity >= config.replay.min_fill) values.push_back(capacity);
  }
  if (values.size() < 2) {
    throw Error(fmt::format("replay.capacity = {} cannot be halved with replay.min_fill = {}",
                            config.replay.capacity, config.replay.min_fill));
  }
  return fmt::format("replay.capacity={}", fmt::join(values, ","));
}

/// Figure 6: the replay's content is as recent, but of an eighth of the actors, or less where there
/// are fewer.
std::string copies(const Config& config) {
  const auto envs = config.apex.envs;
  const auto times = std::min<std::int64_t>(8, envs);
  if (times < 2) {
    throw Error("apex.envs = 1 leaves no fewer environments to copy from; set it to 8, say");
  }
  return fmt::format("apex.envs+apex.copies={}+1,{}+{}", envs, envs / times, times);
}

/// Figure 4, by the environments of each thread, since each counts as an actor.
std::string actors(const Config& config) {
  const auto most = std::max<std::int64_t>(8, config.apex.envs);
  std::vector<std::int64_t> values;
  for (auto envs = most; envs > 0; envs /= 2) values.insert(values.begin(), envs);
  return fmt::format("apex.envs={}", fmt::join(values, ","));
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
  if (study == "actors") return actors(config);
  if (study == "capacity") return capacities(config);
  if (study == "recency") return copies(config);
  if (study == "epsilons") return "dqn.epsilons=0,6";
  if (study == "priorities") return "replay.sampler=prioritized,uniform";
  std::vector<std::string> names;
  for (const auto& each : apex_studies()) names.emplace_back(each.name);
  throw Error(fmt::format("there is no study '{}'; there are {}", study, fmt::join(names, ", ")));
}

}  // namespace tandem
