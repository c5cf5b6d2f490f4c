// How far writers and readers of a replay may get ahead of each other.
#pragma once

#include <cstdint>

namespace tandem {

/// Holds a table's samples near samples_per_insert for each transition inserted beyond the minimum
/// fill, as Reverb's (Cassirer et al., 2021, section 3.4). Ape-X itself has no limit but the
/// minimum (appendix C), and its results depend on both rates (appendix F, "Asynchronicity"). Pure
/// counting: the table's lock guards it.
class RateLimiter {
 public:
  struct Options {
    std::int64_t min_fill = 1;      // transitions, before which nothing is sampled
    double samples_per_insert = 0;  // 0: no limit
    double slack = 0;               // samples that either side may be ahead
  };

  /// Throws Error for a slack of less than a batch, within which both sides could wait for ever.
  RateLimiter(const Options& options, std::int64_t batch);

  /// Whether so many may be sampled with `size` transitions in the table.
  [[nodiscard]] bool may_sample(std::int64_t size, std::int64_t samples) const;

  /// Whether more may be inserted with `size` transitions in the table.
  [[nodiscard]] bool may_insert(std::int64_t size) const;

  void inserted(std::int64_t transitions) { inserted_ += transitions; }
  void sampled(std::int64_t samples) { sampled_ += samples; }

  [[nodiscard]] std::int64_t all_inserted() const { return inserted_; }
  [[nodiscard]] std::int64_t all_sampled() const { return sampled_; }

  /// As saved: all_inserted() and all_sampled().
  void restore(std::int64_t inserted, std::int64_t sampled);

 private:
  /// How many samples the inserts allow, beyond those taken.
  [[nodiscard]] double due() const;

  Options options_;
  std::int64_t inserted_ = 0;
  std::int64_t sampled_ = 0;
};

}  // namespace tandem
