#include "tandem/env/labyrinth/textures.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tandem::labyrinth {
namespace {

constexpr Texel kOpaque = 0xff000000;

/// Red, green and blue as numbers to compute with.
struct Paint {
  std::int32_t red, green, blue;
};

/// Random bits of a place, the same on every machine.
std::uint32_t hash_of(std::int32_t u, std::int32_t v, std::int32_t texture) {
  auto bits = static_cast<std::uint32_t>(u) * 0x8da6b343U ^
              static_cast<std::uint32_t>(v) * 0xd8163841U ^
              static_cast<std::uint32_t>(texture) * 0xcb1ab31fU;
  bits ^= bits >> 15;
  bits *= 0x2c1b3c6dU;
  bits ^= bits >> 12;
  bits *= 0x297a2d39U;
  return bits ^ (bits >> 15);
}

/// A number from -most to most.
std::int32_t noise(std::int32_t u, std::int32_t v, std::int32_t texture, std::int32_t most) {
  const auto range = static_cast<std::uint32_t>(2 * most + 1);
  return static_cast<std::int32_t>(hash_of(u, v, texture) % range) - most;
}

/// The colour between two others, at `share` of 256 on the way from the first, and lighter by
/// `light`.
Texel between(const Paint& from, const Paint& to, std::int32_t share, std::int32_t light) {
  const auto mix = [&](std::int32_t a, std::int32_t b) {
    return static_cast<Texel>(std::clamp(a + (b - a) * share / 256 + light, 0, 255));
  };
  return kOpaque | mix(from.blue, to.blue) << 16 | mix(from.green, to.green) << 8 |
         mix(from.red, to.red);
}

/// A pattern gives each texel its share of the second colour, from 0 to 256.
using Pattern = std::int32_t (*)(std::int32_t u, std::int32_t v);

std::int32_t bricks(std::int32_t u, std::int32_t v) {
  const bool joint = v % 8 == 0 || (u + (v / 8 % 2) * 8) % 16 == 0;
  return joint ? 256 : (u / 8 + v / 8) % 3 * 24;
}
std::int32_t planks(std::int32_t u, std::int32_t /*v*/) {
  return u % 8 == 0 ? 256 : u / 8 % 2 * 60;
}
std::int32_t tiles(std::int32_t u, std::int32_t v) {
  return u % 16 == 0 || v % 16 == 0 ? 256 : (u % 16 == 1 || v % 16 == 1 ? 0 : 60);
}
std::int32_t checks(std::int32_t u, std::int32_t v) { return (u / 8 + v / 8) % 2 * 256; }
std::int32_t diagonals(std::int32_t u, std::int32_t v) { return (u + v) / 8 % 2 * 220; }
std::int32_t chevrons(std::int32_t u, std::int32_t v) {
  return (std::abs(u % 16 - 8) + v) / 4 % 2 * 220;
}
std::int32_t dots(std::int32_t u, std::int32_t v) {
  const std::int32_t x = u % 16 - 8;
  const std::int32_t y = v % 16 - 8;
  return x * x + y * y < 22 ? 256 : 0;
}
std::int32_t rings(std::int32_t u, std::int32_t v) {
  const std::int32_t x = 2 * u - 31;
  const std::int32_t y = 2 * v - 31;
  return (x * x + y * y) / 180 % 2 * 230;
}
std::int32_t panels(std::int32_t u, std::int32_t v) {
  const std::int32_t edge = std::min({u, v, 31 - u, 31 - v});
  return edge < 2 ? 256 : edge < 4 ? 130 : 0;
}
std::int32_t plain(std::int32_t /*u*/, std::int32_t /*v*/) { return 0; }

/// A texture of a wall, a floor or a ceiling.
struct Surface {
  Pattern pattern;
  Paint first, second;
  std::int32_t grain;  // the most by which texels differ from the pattern
};

constexpr std::array<Surface, kApple> kSurfaces{{
    // Walls.
    {bricks, {156, 74, 58}, {196, 186, 170}, 12},
    {planks, {150, 106, 62}, {74, 48, 28}, 12},
    {tiles, {70, 130, 176}, {222, 232, 238}, 8},
    {checks, {206, 178, 78}, {112, 92, 46}, 10},
    {diagonals, {92, 148, 84}, {52, 92, 58}, 10},
    {chevrons, {148, 94, 164}, {92, 54, 112}, 10},
    {dots, {206, 202, 190}, {196, 84, 74}, 8},
    {rings, {62, 152, 152}, {34, 92, 104}, 10},
    {panels, {176, 138, 118}, {104, 72, 62}, 10},
    {bricks, {112, 116, 128}, {66, 68, 78}, 14},
    {checks, {96, 112, 190}, {60, 68, 132}, 8},
    {planks, {202, 122, 66}, {120, 62, 34}, 10},
    // Floors.
    {tiles, {120, 116, 110}, {84, 82, 80}, 10},
    {planks, {134, 104, 72}, {88, 66, 46}, 10},
    {checks, {142, 138, 128}, {92, 90, 88}, 8},
    {plain, {104, 92, 84}, {104, 92, 84}, 16},
    {diagonals, {112, 122, 104}, {88, 98, 84}, 8},
    {tiles, {106, 118, 134}, {74, 84, 98}, 8},
    {plain, {116, 84, 88}, {116, 84, 88}, 14},
    {checks, {122, 112, 92}, {96, 84, 68}, 8},
    // Ceilings.
    {plain, {98, 110, 132}, {98, 110, 132}, 6},
    {tiles, {124, 120, 114}, {98, 94, 90}, 4},
    {planks, {112, 102, 90}, {88, 78, 68}, 6},
}};

Texel surface_texel(std::int32_t texture, std::int32_t u, std::int32_t v) {
  const auto& surface = kSurfaces[static_cast<std::size_t>(texture)];
  return between(surface.first, surface.second, surface.pattern(u, v),
                 noise(u, v, texture, surface.grain));
}

/// A red apple with a stalk and a leaf.
Texel apple_texel(std::int32_t u, std::int32_t v) {
  constexpr Paint kRed = {222, 30, 38};
  constexpr Paint kPale = {255, 170, 150};
  constexpr Paint kLeaf = {70, 190, 60};
  constexpr Paint kStalk = {96, 62, 32};
  const std::int32_t x = 2 * u - 31;
  const std::int32_t y = 2 * v - 31;
  const bool leaf = x > 2 && x < 18 && std::abs(y + 24 + x / 4) < 4;
  if (leaf) return between(kLeaf, kLeaf, 0, 0);
  if (std::abs(x) < 3 && y > -31 && y < -16) return between(kStalk, kStalk, 0, 0);
  const std::int32_t dent = std::abs(x) < 8 ? 8 - std::abs(x) : 0;
  const std::int32_t below = y - 5;
  if (x * x + below * below > 26 * 26 || y < -21 + dent) return 0;
  const std::int32_t gleam = (x + 10) * (x + 10) + (below + 10) * (below + 10);
  const std::int32_t shadow = std::max(0, x + below) * 2;
  return between(kRed, kPale, gleam < 40 ? 200 : 0, -shadow);
}

/// A gate of light: bright rings in an oval.
Texel portal_texel(std::int32_t u, std::int32_t v) {
  constexpr Paint kEdge = {60, 90, 255};
  constexpr Paint kLight = {120, 255, 250};
  constexpr Paint kMiddle = {255, 255, 255};
  const std::int32_t x = 2 * u - 31;
  const std::int32_t y = 2 * v - 31;
  const std::int32_t square = x * x * 7 / 4 + y * y;  // up to 31^2 within the oval
  if (square > 961) return 0;
  if (square > 700) return between(kEdge, kLight, 0, 0);
  if (square > 480) return between(kLight, kMiddle, 0, 0);
  if (square > 240) return between(kEdge, kLight, 90, 0);
  return between(kLight, kMiddle, 256 - square, 0);
}

std::vector<Texel> make_texels() {
  std::vector<Texel> texels;
  texels.reserve(static_cast<std::size_t>(kTextures) * kTextureTexels);
  for (std::int32_t texture = 0; texture < kTextures; ++texture) {
    for (std::int32_t v = 0; v < kTexels; ++v) {
      for (std::int32_t u = 0; u < kTexels; ++u) {
        texels.push_back(texture == kApple    ? apple_texel(u, v)
                         : texture == kPortal ? portal_texel(u, v)
                                              : surface_texel(texture, u, v));
      }
    }
  }
  return texels;
}

/// The mean colour of one texture among all.
Color mean_of(const std::vector<Texel>& texels, std::int32_t texture) {
  std::array<std::uint32_t, 3> sums{};
  std::uint32_t count = 0;
  const auto first = static_cast<std::size_t>(texture) * kTextureTexels;
  for (std::size_t at = first; at < first + kTextureTexels; ++at) {
    const auto texel = texels[at];
    if (texel < kOpaque) continue;
    for (std::size_t plane = 0; plane < 3; ++plane) sums[plane] += texel >> (8 * plane) & 0xff;
    ++count;
  }
  Color mean{};
  for (std::size_t plane = 0; plane < 3; ++plane) {
    mean[plane] = static_cast<std::uint8_t>(sums[plane] / std::max(1U, count));
  }
  return mean;
}

}  // namespace

const std::vector<Texel>& all_texels() {
  static const auto texels = make_texels();
  return texels;
}

Color mean_color(std::int32_t texture) {
  static const auto all = [] {
    std::array<Color, kTextures> means{};
    for (std::int32_t at = 0; at < kTextures; ++at) {
      means[static_cast<std::size_t>(at)] = mean_of(all_texels(), at);
    }
    return means;
  }();
  return all[static_cast<std::size_t>(texture)];
}

}  // namespace tandem::labyrinth
