// Measures the memory of this process, and of those that it began.
#pragma once

namespace tandem {

/// The bytes in use now.
[[nodiscard]] double resident_bytes();

/// The bytes in use now by the processes that this one began, and by theirs. Of pages that several
/// processes share each has its part.
[[nodiscard]] double descendants_bytes();

/// Returns freed memory to the operating system, and resets the peak if the system allows it.
void release_memory();

/// The peak of the bytes in use since release_memory(), or since the process began if the peak
/// could not be reset. If the system records no peak, the bytes in use now.
[[nodiscard]] double peak_bytes();

}  // namespace tandem
