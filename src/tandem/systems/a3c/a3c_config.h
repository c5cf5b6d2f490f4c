// A3C's numbers.
#pragma once

#include <cstdint>

#include "tandem/base/field.h"
#include "tandem/learn/hogwild.h"

namespace tandem {

/// The numbers of the asynchronous framework beyond those of its loss and optimizer. Value type.
struct A3cConfig {
  std::int64_t learners = 16;  // actor-learner threads, each with an environment of its own
  std::int64_t t_max = 5;      // steps between two updates of one thread, at most
  SharingConfig sharing = {};

  FieldList fields();
};

}  // namespace tandem
