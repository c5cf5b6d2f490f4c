// Copying what is not read again soon.
#pragma once

#include <cstddef>
#include <span>

namespace tandem {

/// As memcpy, past the caches where the CPU can: memory is not read only to be written over, and
/// what others have in the caches stays there. For batches larger than those. Pure.
void streaming_copy(std::span<const std::byte> from, std::byte* to);

}  // namespace tandem
