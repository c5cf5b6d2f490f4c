// Limits how far the writers and the readers of a replay get ahead of each other.
#pragma once

#include <cstdint>

namespace tandem {

/// Keeps the number of samples near samples_per_insert times the number of transitions inserted
/// beyond the minimum fill, as Reverb's limiter does (Cassirer et al., 2021, section 3.4). Ape-X
/// itself has no limit but the minimum (appendix C), and its results depend on both rates (appendix
/// F, "Asynchronicity"). The limiter only counts, and never waits; the table's lock guards it.
class RateLimiter {
 public:
  struct Options {
    std::int64_t min_fill = 1;      // transitions that must be there before the first sample
    double samples_per_insert = 0;  // 0: no limit
    double slack = 0;               // samples by which writers or readers may be ahead
  };

  explicit RateLimiter(const Options& options) : options_(options) {}

  /// Throws Error if the slack is smaller than a batch, because then writers and readers could wait
  /// for each other for ever.
  void require_slack_for(std::int64_t batch) const;

  /// Whether this number of samples is allowed with `size` transitions in the table.
  [[nodiscard]] bool may_sample(std::int64_t size, std::int64_t samples) const;

  /// Whether another insert is allowed with `size` transitions in the table.
  [[nodiscard]] bool may_insert(std::int64_t size) const;

  /// How many transitions may be inserted with `size` in the table before may_insert() denies it.
  [[nodiscard]] std::int64_t room(std::int64_t size) const;

  /// Counts transitions of a replay in order that were removed unread. Writers do not wait for
  /// samples of them, but readers may take as many of others: with a ratio below 1 most are lost.
  void lost(std::int64_t transitions) { lost_ += transitions; }
  void inserted(std::int64_t transitions) { inserted_ += transitions; }
  void sampled(std::int64_t samples) { sampled_ += samples; }

  [[nodiscard]] std::int64_t all_inserted() const { return inserted_; }
  [[nodiscard]] std::int64_t all_sampled() const { return sampled_; }

  /// Restores saved values of all_inserted() and all_sampled(), and the number of lost transitions.
  void restore(std::int64_t inserted, std::int64_t sampled, std::int64_t lost = 0);

 private:
  /// The samples that so many inserts allow, minus the samples drawn.
  [[nodiscard]] double due(std::int64_t inserted) const;
  /// The samples for which writers wait.
  [[nodiscard]] double owed() const;

  Options options_;
  std::int64_t inserted_ = 0;
  std::int64_t lost_ = 0;
  std::int64_t sampled_ = 0;
};

}  // namespace tandem
