// Images as networks want them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tandem {

/// Turns u8 images [batch, channels, pixels] into floats [batch, pixels, channels] (channels last)
/// divided by 255. Pure; safe from many threads.
void scale_channels_last(std::span<const std::byte> images, std::int64_t batch,
                         std::int64_t channels, std::int64_t pixels, float* out);

}  // namespace tandem
