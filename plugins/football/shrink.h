// Observations from pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tandem/env/env.h"

namespace tandem::football {

/// The colours of an observation.
enum class Colours { rgb, gray };

/// Writes a picture as planes of width x height bytes: red, green and blue, or one of gray. Each
/// pixel is the mean over the area that it covers, as OpenCV's INTER_AREA has it. The package makes
/// its pixel observations in this way (PixelsStateWrapper). The picture must not be the smaller
/// one.
void shrink(const Picture& picture, Colours colours, std::int64_t width, std::int64_t height,
            std::span<std::byte> planes);

}  // namespace tandem::football
