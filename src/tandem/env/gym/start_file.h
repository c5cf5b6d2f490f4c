// The work of worker processes as a text that they read.
#pragma once

#include <string>

#include "tandem/base/descriptor.h"
#include "tandem/env/gym/gym_options.h"

namespace tandem {

/// A file without a name that holds the Python code of workers and says what they shall make.
/// Throws Error for bad options.
[[nodiscard]] Descriptor make_start_file(const std::string& name, const GymOptions& options);

}  // namespace tandem
