// Copies data that will not be read again soon.
#pragma once

#include <cstddef>
#include <span>

namespace tandem {

/// Like memcpy, but past the caches if the CPU can do that: the target is not read before it is
/// overwritten, and the caches keep their content. For batches larger than the caches. Pure.
void streaming_copy(std::span<const std::byte> from, std::byte* to);

}  // namespace tandem
