// Measures the memory of this process.
#pragma once

namespace tandem {

/// Bytes in use now.
[[nodiscard]] double resident_bytes();

/// Gives freed memory back to the system, and forgets the peak so far.
void release_memory();

/// The most bytes in use since release_memory(), or the bytes in use now if the system does not
/// tell.
[[nodiscard]] double peak_bytes();

}  // namespace tandem
