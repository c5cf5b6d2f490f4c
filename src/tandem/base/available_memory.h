// The memory that is available.
#pragma once

#include <cstdint>
#include <optional>

namespace tandem {

/// Bytes that this process may still take before the system or its container has no more. Empty if
/// the system does not tell.
std::optional<std::int64_t> available_memory_bytes();

}  // namespace tandem
