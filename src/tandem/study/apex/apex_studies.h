// The studies of Ape-X's paper, as variations of a config.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tandem/trainer/config.h"

namespace tandem {

/// The system that the studies examine.
inline constexpr const char* kApex = "apex";

/// A study by its name. Value type.
struct ApexStudy {
  const char* name;
  const char* question;
  const char* source;
};

/// The list of all studies.
std::span<const ApexStudy> apex_studies();

/// The study's variation of the config, as --vary takes it. All its runs make as many updates,
/// except for the wait for replay.min_fill, which is longer with fewer actors, as in the paper.
/// Pure. Throws Error for an unknown study, and for a config that leaves the study nothing to vary.
std::string variation_of(const std::string& study, const Config& config);

/// The log key of the returns at the least epsilon, because the paper's curves show the greediest
/// actor. This epsilon is the same in all runs of a study. Empty if actors have no epsilons.
[[nodiscard]] std::optional<std::string> greediest_measure(const Config& config);

}  // namespace tandem
