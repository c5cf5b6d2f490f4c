// Settings of the whole process, for the program alone.
#pragma once

namespace tandem {

/// Lets malloc keep freed memory for the next batch. Call once at the start of main, before other
/// threads. The library itself leaves the allocator of its process as it is.
void keep_freed_memory();

/// Opens /dev/null in place of each standard stream that the caller of the program has closed: a
/// file of a run would else get its number, and messages and results would go into that file. Call
/// once, before any file is opened.
void open_closed_streams();

}  // namespace tandem
