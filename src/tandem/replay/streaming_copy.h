// Copies data that are not read again soon.
#pragma once

#include <cstddef>
#include <span>

namespace tandem {

/// Like memcpy, but bypasses the caches on CPUs with SSE2: the target is not read before it is
/// overwritten, and the caches keep their content. For batches larger than the caches.
void streaming_copy(std::span<const std::byte> from, std::byte* to);

}  // namespace tandem
