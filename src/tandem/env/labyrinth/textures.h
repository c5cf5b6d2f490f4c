// The pictures on walls, floors and ceilings, and those of apples and the portal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tandem/env/canvas.h"

namespace tandem::labyrinth {

/// Texels on a side of a texture, and of a whole texture.
inline constexpr std::int32_t kTexels = 32;
inline constexpr std::int32_t kTextureTexels = kTexels * kTexels;

/// The numbers of the textures, by their kinds.
inline constexpr std::int32_t kWallTextures = 12;
inline constexpr std::int32_t kFloorTextures = 8;
inline constexpr std::int32_t kCeilingTextures = 3;
inline constexpr std::int32_t kFirstWall = 0;
inline constexpr std::int32_t kFirstFloor = kFirstWall + kWallTextures;
inline constexpr std::int32_t kFirstCeiling = kFirstFloor + kFloorTextures;
inline constexpr std::int32_t kApple = kFirstCeiling + kCeilingTextures;
inline constexpr std::int32_t kPortal = kApple + 1;
inline constexpr std::int32_t kTextures = kPortal + 1;

/// A colour with red in the lowest byte, then green and blue. The highest byte is 0 where a sprite
/// lets the wall behind it be seen, and 255 elsewhere.
using Texel = std::uint32_t;

/// The texels of all textures, row by row, one texture after another. They are computed from
/// integers at the first call. Thread-safe.
[[nodiscard]] const std::vector<Texel>& all_texels();

/// The mean colour of a texture, without the transparent texels. It is the texture's on a map.
[[nodiscard]] Color mean_color(std::int32_t texture);

}  // namespace tandem::labyrinth
