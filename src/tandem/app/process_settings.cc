#include "tandem/app/process_settings.h"

#include <malloc.h>

#include <limits>

namespace tandem {

// By default, malloc does not keep freed blocks as large as a batch of activations. It would map
// and clear such blocks anew for every batch, which takes as long as computing them.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace tandem
