// Bytes compressed with zstd.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace tandem {

/// The bytes as one frame of zstd; nothing if that would not be smaller. Pure.
[[nodiscard]] std::optional<std::vector<std::byte>> compress_bytes(
    std::span<const std::byte> plain);

/// The bytes of one frame of zstd that says its size; nothing if it is damaged. It takes no more
/// memory than the frame has bytes for, whatever size it claims. Pure.
[[nodiscard]] std::optional<std::vector<std::byte>> decompress_bytes(
    std::span<const std::byte> packed);

}  // namespace tandem
