#include "tandem/trainer/default_preset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include "tandem/base/error.h"
#include "tandem/env/family.h"
#include "tandem/io/settings.h"

namespace tandem {
namespace {

constexpr const char* kPartiallyObserved = "partially_observed";
// The network of Mnih et al. 2015 needs images of at least this size.
constexpr std::int64_t kLeastImage = 36;
// Exceeds the total score of words that describe the environment's kind.
constexpr int kFamilyScore = 10;
constexpr int kIdScore = 100;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Splits a text at its commas: "a, b" gives two parts.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::string text_at(const std::vector<Setting>& settings, const std::string& key) {
  const auto found = std::ranges::find(settings, key, &Setting::key);
  return found == settings.end() ? "" : value_text(found->value);
}

/// The score of a word that names the environment; 0 for any other word.
int name_score(const std::string& word, const std::string& env_id) {
  if (word == env_id) return kIdScore;
  return word == env_family_name(env_id) ? kFamilyScore : 0;
}

bool names(const std::vector<std::string>& words, const std::string& env_id) {
  return std::ranges::any_of(words, [&](const auto& word) { return name_score(word, env_id) > 0; });
}

/// The total score of the words; 0 if one of them is false for the environment.
int score(const std::vector<std::string>& words, const Task& task) {
  int total = 0;
  for (const auto& word : words) {
    const auto kind = [&] { return kind_of(task.spec()); };
    if (const auto named = name_score(word, task.env_id); named > 0) {
      total += named;
    } else if (std::ranges::count(kind(), word) > 0) {
      ++total;
    } else {
      return 0;
    }
  }
  return total;
}

/// The highest score among a default's situations. With `named`, only situations that name the
/// environment or its family count; otherwise, only the others count.
int best_score(const DefaultFor& one, const Task& task, bool named) {
  int most = 0;
  for (const auto& words : one.situations) {
    if (names(words, task.env_id) != named) continue;
    const bool remembers = named || std::ranges::count(words, kPartiallyObserved) > 0;
    if (!remembers && task.spec().partially_observed) continue;
    most = std::max(most, score(words, task));
  }
  return most;
}

bool is_for(const DefaultFor& one, const Task& task) {
  return one.system == task.system && std::ranges::count(one.algorithms, task.algorithm) > 0;
}

/// The most specific defaults among the situations that name the environment, or among the others.
std::vector<std::string> most_special(std::span<const DefaultFor> defaults, const Task& task,
                                      bool named) {
  int most = 0;
  std::vector<std::string> found;
  for (const auto& one : defaults) {
    const auto special = is_for(one, task) ? best_score(one, task, named) : 0;
    if (special == 0 || special < most) continue;
    if (special > most) found.clear();
    most = special;
    found.push_back(one.preset);
  }
  return found;
}

/// The systems with a default for the environment, each with its algorithms: "a3c (a2c)".
std::vector<std::string> who_has_a_default(Task task, const Catalogue& catalogue,
                                           std::span<const DefaultFor> defaults) {
  std::vector<std::string> all;
  for (const auto& system : catalogue.systems) {
    task.system = system->info().name;
    std::vector<std::string> algorithms;
    for (const auto& algorithm : catalogue.algorithms) {
      task.algorithm = algorithm->info().name;
      if (!most_special(defaults, task).empty()) algorithms.push_back(task.algorithm);
    }
    if (algorithms.empty()) continue;
    all.push_back(fmt::format("{} ({})", task.system, fmt::join(algorithms, ", ")));
  }
  return all;
}

}  // namespace

std::vector<DefaultFor> read_defaults(std::span<const Preset> presets) {
  std::vector<DefaultFor> all;
  for (const auto& preset : presets) {
    const auto settings = parse_toml(preset.toml, "preset " + preset.name);
    const auto situations = text_at(settings, "default_for.env");
    auto algorithms = text_at(settings, "default_for.algo");
    if (situations.empty() && algorithms.empty()) continue;
    if (algorithms.empty()) algorithms = text_at(settings, "algo");
    DefaultFor one{.preset = preset.name, .system = text_at(settings, "system")};
    for (const auto& part : parts_of(algorithms)) {
      std::ranges::move(words_of(part), std::back_inserter(one.algorithms));
    }
    for (const auto& part : parts_of(situations)) one.situations.push_back(words_of(part));
    if (one.system.empty() || one.algorithms.empty() || one.situations.empty()) {
      throw Error(
          fmt::format("the preset {} has a table [default_for], so it needs the keys system and "
                      "default_for.env, and default_for.algo or algo",
                      preset.name));
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> kind_of(const EnvSpec& spec) {
  std::vector<std::string> words;
  if (spec.dtype == DType::f32 || spec.frame_shape.size() != 3) {
    words.emplace_back("numbers");
  } else {
    const bool large = std::min(spec.frame_shape[1], spec.frame_shape[2]) >= kLeastImage;
    words.emplace_back(large ? "images" : "small_images");
  }
  words.emplace_back(spec.discrete() ? "discrete" : "continuous");
  if (spec.partially_observed) words.emplace_back(kPartiallyObserved);
  return words;
}

std::vector<std::string> most_special(std::span<const DefaultFor> defaults, const Task& task) {
  auto found = most_special(defaults, task, /*named=*/true);
  return found.empty() ? most_special(defaults, task, /*named=*/false) : found;
}

std::optional<DefaultPreset> default_preset(const Task& task, const Catalogue& catalogue) {
  const auto defaults = read_defaults(catalogue.presets);
  for (const bool named : {true, false}) {
    for (const auto& algorithm : catalogue.algorithms) {
      auto one = task;
      one.algorithm = algorithm->info().name;
      if (!task.algorithm.empty() && task.algorithm != one.algorithm) continue;
      const auto found = most_special(defaults, one, named);
      if (!found.empty()) return DefaultPreset{found.front(), one.algorithm};
    }
  }
  if (defaults.empty() || !task.spec().partially_observed) return std::nullopt;
  const auto others = who_has_a_default(task, catalogue, defaults);
  if (others.empty()) return std::nullopt;
  throw Error(fmt::format(
      "{} does not show its whole state, so that only an agent with a memory learns it, and {}{} "
      "has no preset with one. Systems that have one, and their algorithms: {}. To train "
      "without a memory all the same, choose a preset by --config",
      task.env_id, task.system, task.algorithm.empty() ? "" : " with algo = " + task.algorithm,
      fmt::join(others, ", ")));
}

}  // namespace tandem
