// Ctrl-C and `kill` end a run with a checkpoint.
#pragma once

#include <array>
#include <csignal>

namespace tandem {

/// While one exists, the first SIGINT or SIGTERM only sets a flag that the training loop polls, so
/// that it can write a checkpoint; the second one ends the process at once. Construction clears
/// the flag; destruction restores the handlers from before. At most one at a time. requested() may
/// be called by any thread.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] bool requested() const;

 private:
  std::array<struct sigaction, 2> before_;
};

}  // namespace tandem
