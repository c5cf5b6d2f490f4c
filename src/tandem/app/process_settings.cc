#include "tandem/app/process_settings.h"

#include <malloc.h>

#include <limits>

namespace tandem {

// Batches of activations are larger than the blocks that malloc keeps by default. It would map and
// clear them anew at every call, which costs as much as computing them.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace tandem
