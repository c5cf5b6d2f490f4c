// Settings of the whole process, for the program alone.
#pragma once

namespace tandem {

/// Lets malloc keep freed memory for the next batch. Call once at the start of main, before other
/// threads. The library itself leaves the allocator of its process as it is.
void keep_freed_memory();

}  // namespace tandem
