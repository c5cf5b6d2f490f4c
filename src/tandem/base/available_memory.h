// The memory that is still available to this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tandem {

/// The bytes that the limits of cgroup v2 leave to this process: its own group's, and those of the
/// groups around it up to `root`. The file `membership` names its group. Empty without any limit.
std::optional<std::int64_t> cgroup_bytes(const std::filesystem::path& root,
                                         const std::filesystem::path& membership);

/// The bytes that this process can still allocate before the system, its container or the limit of
/// its job runs out.
/// Empty if the system does not report them.
std::optional<std::int64_t> available_memory_bytes();

}  // namespace tandem
