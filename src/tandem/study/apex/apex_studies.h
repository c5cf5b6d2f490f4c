// The studies of Ape-X's paper, as variations of a config.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tandem/trainer/config.h"

namespace tandem {

/// The system that the studies examine.
inline constexpr const char* kApex = "apex";

/// A study: its name, its question and its place in the paper. Value type.
struct ApexStudy {
  const char* name;
  const char* question;
  const char* source;
};

/// The list of all studies.
std::span<const ApexStudy> apex_studies();

/// The study's variation of the config, in the form of --vary. All its runs make about the same
/// number of updates, but fewer actors take longer to reach replay.min_fill, as in the paper. Pure.
/// Throws Error for an unknown study, and for a config that leaves the study nothing to vary.
std::string variation_of(const std::string& study, const Config& config);

/// The log key of the returns at the least epsilon. The paper's curves, too, show the greediest
/// actor. This epsilon is the same in all runs of a study. Empty if the algorithm has no epsilons.
[[nodiscard]] std::optional<std::string> greediest_measure(const Config& config);

}  // namespace tandem
