// The memory that is still available to this process.
#pragma once

#include <cstdint>
#include <optional>

namespace tandem {

/// The bytes that this process can still allocate before the system or its container runs out.
/// Empty if the system does not report them.
std::optional<std::int64_t> available_memory_bytes();

}  // namespace tandem
