#include "tandem/trainer/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "tandem/algo/catalogue.h"
#include "tandem/base/error.h"
#include "tandem/base/nearest.h"
#include "tandem/systems/catalogue.h"
#include "tandem/systems/fit.h"

namespace tandem {
namespace {

/// Throws Error when a name is there twice. `what` is a word for such things: "systems".
void require_distinct(std::vector<std::string> names, const char* what) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  throw Error(
      fmt::format("the catalogue has two {} of the name {}: give one another name", what, *twice));
}

bool fits(const System& system, const AlgorithmEntry& algorithm) {
  return misfit(system.requirements(), algorithm.info().traits).empty();
}

}  // namespace

const System& Catalogue::system(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& one : systems) {
    if (one->info().name == name) return *one;
    names.push_back(one->info().name);
  }
  const auto near = nearest(name, names);
  throw Error(fmt::format("there is no system {};{} `tandem systems` lists all", name,
                          near.empty() ? "" : " did you mean " + near + "?"));
}

std::unique_ptr<EnvFamily> Catalogue::family(const std::string& env_id) const {
  const auto name = env_id.substr(0, env_id.find(':'));
  for (const auto& one : families) {
    if (one.name == name) return one.make();
  }
  return find_family(env_id);
}

void Catalogue::require_distinct_names() const {
  const auto names = [](const auto& entries, auto name) {
    std::vector<std::string> all;
    std::ranges::transform(entries, std::back_inserter(all), name);
    return all;
  };
  const auto of_part = [](const auto& part) { return part->info().name; };
  require_distinct(names(systems, of_part), "systems");
  require_distinct(names(algorithms, of_part), "algorithms");
  require_distinct(names(families, &NamedFamily::name), "families of environments");
}

Setting Catalogue::in_common_words(Setting setting) const {
  for (const auto& system : systems) {
    for (const auto& word : system->info().own_words) {
      if (setting.key != word.key) continue;
      if (!word.value.empty() && setting.value != FieldValue(word.value)) continue;
      setting.key = word.common_key;
      if (!word.common_value.empty()) setting.value = word.common_value;
    }
  }
  return setting;
}

std::vector<std::string> Catalogue::systems_for(const AlgorithmEntry& algorithm) const {
  std::vector<std::string> names;
  for (const auto& one : systems) {
    if (fits(*one, algorithm)) names.push_back(one->info().name);
  }
  return names;
}

std::vector<std::string> Catalogue::algorithms_for(const System& system) const {
  std::vector<std::string> names;
  for (const auto& one : algorithms) {
    if (fits(system, *one)) names.push_back(one->info().name);
  }
  return names;
}

void Catalogue::require_fit(const System& system, const AlgorithmEntry& algorithm) const {
  const auto why = misfit(system.requirements(), algorithm.info().traits);
  if (why.empty()) return;
  const auto listed = [](const std::vector<std::string>& names) {
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  };
  throw Error(fmt::format(
      "the system {} cannot train with algo = {}: {}. Algorithms for {}: {}. Systems for {}: {}",
      system.info().name, algorithm.info().name, why, system.info().name,
      listed(algorithms_for(system)), algorithm.info().name, listed(systems_for(algorithm))));
}

std::shared_ptr<const Catalogue> published() {
  static const auto catalogue =
      std::make_shared<const Catalogue>(Catalogue{.systems = published_systems(),
                                                  .algorithms = published_algorithms(),
                                                  .families = {},
                                                  .presets = published_presets()});
  return catalogue;
}

}  // namespace tandem
