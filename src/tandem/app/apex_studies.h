// The studies of Ape-X's paper, as what they vary.
#pragma once

#include <span>
#include <string>

#include "tandem/app/config.h"

namespace tandem {

/// Value type.
struct ApexStudy {
  const char* name;
  const char* question;
  const char* source;
};

/// All of them.
std::span<const ApexStudy> apex_studies();

/// What the study varies about the config, as --vary takes it; all its runs make as many updates.
/// Pure. Throws Error for a study that there is not, and for a config that leaves it nothing to
/// vary.
std::string variation_of(const std::string& study, const Config& config);

}  // namespace tandem
