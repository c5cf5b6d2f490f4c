// The studies of Ape-X's paper, as what they vary.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tandem/trainer/config.h"

namespace tandem {

/// The system that the studies are of.
inline constexpr const char* kApex = "apex";

/// Value type.
struct ApexStudy {
  const char* name;
  const char* question;
  const char* source;
};

/// All of them.
std::span<const ApexStudy> apex_studies();

/// What the study varies about the config, as --vary takes it. All its runs make as many updates,
/// but for the wait for replay.min_fill, which is longer with fewer actors, as in the paper. Pure.
/// Throws Error for a study that there is not, and for a config that leaves it nothing to vary.
std::string variation_of(const std::string& study, const Config& config);

/// The log key of the returns by the least epsilon, as the paper's curves are of the greediest
/// actor: it is the same in all runs, whatever the others do. Empty where actors have no epsilons.
[[nodiscard]] std::optional<std::string> greediest_measure(const Config& config);

}  // namespace tandem
