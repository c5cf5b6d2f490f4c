#include "tandem/base/random.h"

#include <cmath>
#include <numbers>

namespace tandem {
namespace {

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

// The seed is the key and the id one half of the counter, so no two streams ever share a block.
std::array<std::uint32_t, 4> block_of(std::uint64_t seed, std::uint64_t id, std::uint64_t block) {
  return philox({low(block), high(block), low(id), high(id)}, {low(seed), high(seed)});
}

}  // namespace

// Salmon et al., section 3.3 and figure 2; the constants are those of their Random123 library.
std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                    const std::array<std::uint32_t, 2>& key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // golden ratio
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // sqrt(3) - 1
  auto words = counter;
  auto [key0, key1] = key;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * words[0];
    const std::uint64_t product1 = kMultiplier1 * words[2];
    words = {high(product1) ^ words[1] ^ key0, low(product1), high(product0) ^ words[3] ^ key1,
             low(product0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return words;
}

std::uint32_t Stream::bits() {
  const auto word = draws_ % 4;
  if (word == 0) block_ = block_of(seed_, id_, draws_ / 4);
  ++draws_;
  return block_[word];
}

// Lemire, "Fast random integer generation in an interval" (2019): the high word of a product is
// uniform if the draw is repeated for the few low words that would favour some results.
std::uint32_t Stream::below(std::uint32_t limit) {
  const std::uint32_t threshold = (0u - limit) % limit;
  for (;;) {
    const std::uint64_t product = static_cast<std::uint64_t>(bits()) * limit;
    if (low(product) >= threshold) return high(product);
  }
}

float Stream::uniform() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }

float Stream::normal() {
  const double radius = 1.0 - uniform();  // in (0, 1]: its logarithm is finite
  const double angle = uniform();
  return static_cast<float>(std::sqrt(-2.0 * std::log(radius)) *
                            std::cos(2.0 * std::numbers::pi * angle));
}

void Stream::save(StateWriter& writer) const {
  writer.put(seed_);
  writer.put(id_);
  writer.put(draws_);
}

void Stream::load(StateReader& reader) {
  seed_ = reader.get<std::uint64_t>();
  id_ = reader.get<std::uint64_t>();
  draws_ = reader.get<std::uint64_t>();
  block_ = block_of(seed_, id_, draws_ / 4);
}

}  // namespace tandem
