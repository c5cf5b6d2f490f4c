#include "tandem/env/labyrinth/sprites.h"

#include <algorithm>
#include <array>

#include "tandem/env/labyrinth/light.h"
#include "tandem/env/labyrinth/textures.h"

namespace tandem::labyrinth {
namespace {

/// The kind of a sprite.
struct Kind {
  std::int32_t texture;
  Fixed size;   // width and height
  Fixed below;  // from the height of the eye to the sprite's middle
};

constexpr Kind kAppleKind = {.texture = kApple, .size = 26000, .below = 18000};
constexpr Kind kPortalKind = {.texture = kPortal, .size = 58000, .below = 3000};

/// A sprite in front of the agent.
struct Sprite {
  const Kind* kind;
  Fixed depth;  // along the direction in which the agent looks
  Fixed aside;  // to the right of it
};

/// Sprites that may be in the picture. More apples than any maze has fit in.
class Sprites {
 public:
  static constexpr std::size_t kMost = kMostApples + 1;

  explicit Sprites(const Agent& agent)
      : agent_(agent), east_(cosine(agent.angle)), south_(sine(agent.angle)) {}

  /// Adds a sprite unless it is behind the agent or beyond the edges of its picture.
  void add(const Kind& kind, Cell cell) {
    const std::int64_t x = middle(cell.x) - agent_.x;
    const std::int64_t y = middle(cell.y) - agent_.y;
    const auto depth = static_cast<Fixed>(times(x, east_) + times(y, south_));
    const auto aside = static_cast<Fixed>(times(y, east_) - times(x, south_));
    constexpr Fixed kLeast = kOne / 8;
    if (depth < kLeast || std::abs(aside) > depth + kind.size) return;
    sprites_[count_++] = {.kind = &kind, .depth = depth, .aside = aside};
  }

  /// The sprites, the farthest first.
  std::span<const Sprite> from_far_to_near() {
    const auto added = std::span(sprites_).first(count_);
    std::ranges::sort(added, std::ranges::greater(), &Sprite::depth);
    return added;
  }

 private:
  Agent agent_;
  Fixed east_, south_;
  std::size_t count_ = 0;
  std::array<Sprite, kMost> sprites_;
};

/// A range of pixels, and the place within a sprite of the first of them.
struct Extent {
  std::int32_t begin, end;
  Fixed texel;  // of kTexels, in units of 2^-16
  Fixed step;   // texels in a pixel
};

/// The pixels that a sprite covers in one direction; its middle is `offset` from the picture's.
Extent extent(const Sprite& sprite, Fixed offset) {
  constexpr std::int64_t kPixels = kViewSize / 2;  // of a cell at a depth of 1
  const std::int64_t depth = sprite.depth;
  const std::int64_t size = kPixels * sprite.kind->size * kOne / depth;
  const std::int64_t middle = kPixels * kOne + kPixels * offset * kOne / depth;
  const std::int64_t first = middle - size / 2;
  // Pixels whose middle lies within the sprite.
  const auto pixel = [](std::int64_t at) {
    const std::int64_t next = (at + kOne / 2 - 1) >> kFixedBits;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(next, 0, kViewSize));
  };
  const std::int64_t step = std::int64_t{kTexels} * kOne * kOne / std::max<std::int64_t>(size, 1);
  const std::int32_t begin = pixel(first);
  return {.begin = begin,
          .end = pixel(first + size),
          .texel = static_cast<Fixed>(times(begin * kOne + kOne / 2 - first, step)),
          .step = static_cast<Fixed>(step)};
}

void put_texel(Texel texel, std::int32_t light, std::byte* pixel) {
  constexpr std::ptrdiff_t kPlane = std::ptrdiff_t{kViewSize} * kViewSize;
  for (std::ptrdiff_t plane = 0; plane < 3; ++plane) {
    const auto level = texel >> (8 * plane) & 0xff;
    pixel[plane * kPlane] = static_cast<std::byte>(level * static_cast<Texel>(light) >> 8);
  }
}

void draw(const Sprite& sprite, const Columns& columns, std::span<std::byte> frame) {
  constexpr std::int32_t kLast = kTexels - 1;
  const auto across = extent(sprite, sprite.aside);
  const auto down = extent(sprite, sprite.kind->below);
  const std::int32_t light = sprite.kind == &kPortalKind ? 256 : light_at(sprite.depth);
  const Texel* const texels =
      &all_texels()[static_cast<std::size_t>(sprite.kind->texture) * kTextureTexels];
  Fixed u = across.texel;
  for (std::int32_t column = across.begin; column < across.end; ++column, u += across.step) {
    if (columns.depth[static_cast<std::size_t>(column)] < sprite.depth) continue;
    const std::int32_t texel_u = std::min(u >> kFixedBits, kLast);
    Fixed v = down.texel;
    for (std::int32_t row = down.begin; row < down.end; ++row, v += down.step) {
      const Texel texel = texels[std::min(v >> kFixedBits, kLast) * kTexels + texel_u];
      if (texel >> 24 == 0) continue;
      put_texel(texel, light, frame.data() + std::ptrdiff_t{kViewSize} * row + column);
    }
  }
}

}  // namespace

void draw_sprites(const World& world, const Columns& columns, std::span<std::byte> frame) {
  Sprites sprites(world.agent());
  const auto& maze = world.maze();
  sprites.add(kPortalKind, maze.portal);
  for (std::size_t apple = 0; apple < maze.apples.size(); ++apple) {
    if (world.ripe(apple)) sprites.add(kAppleKind, maze.apples[apple]);
  }
  for (const auto& sprite : sprites.from_far_to_near()) draw(sprite, columns, frame);
}

}  // namespace tandem::labyrinth
