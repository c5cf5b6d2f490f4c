// Counter-based random streams: Philox4x32-10.
#pragma once

#include <array>
#include <cstdint>

#include "tandem/base/state.h"

namespace tandem {

/// Philox4x32 with 10 rounds, from which Stream takes its numbers. For each `key` it is a bijection
/// of the words of `counter`. Pure.
std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                    const std::array<std::uint32_t, 2>& key);

/// One independent random stream, named by (seed, id): Philox4x32-10 of Salmon et al., "Parallel
/// random numbers: as easy as 1, 2, 3" (SC 2011). The n-th draw depends on (seed, id, n) alone, so
/// results never depend on threads. Value type; one stream must not be used by two threads at once.
class Stream {
 public:
  Stream() = default;
  /// The stream with this seed and id, before its first draw.
  Stream(std::uint64_t seed, std::uint64_t id) : seed_(seed), id_(id) {}

  std::uint32_t bits();                      // 32 random bits
  std::uint32_t below(std::uint32_t limit);  // uniform in [0, limit), without bias; limit > 0
  float uniform();                           // uniform in [0, 1), 24 random bits
  float normal();                            // standard normal (Box-Muller, two draws)

  /// Writes the seed, the id and the number of draws.
  void save(StateWriter& writer) const;
  /// Becomes the stream that save() wrote, at the same draw.
  void load(StateReader& reader);

 private:
  std::uint64_t seed_ = 0;
  std::uint64_t id_ = 0;
  std::uint64_t draws_ = 0;               // 32-bit words drawn so far
  std::array<std::uint32_t, 4> block_{};  // the words of the latest counter
};

}  // namespace tandem
