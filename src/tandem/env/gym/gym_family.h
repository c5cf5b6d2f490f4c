// The family of Gymnasium's environments: "gym:CartPole-v1".
#pragma once

#include <memory>

#include "tandem/env/family.h"

namespace tandem {

/// Environments in Python: "CartPole-v1", "package.module:ID", or any name where the option
/// `pickle` says how to make one. They exist in groups alone.
std::unique_ptr<EnvFamily> make_gym_family();

}  // namespace tandem
