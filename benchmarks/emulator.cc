// Emulated frames per second of the patched ALE beside plain ALE, by game, on one core.
//
// Both play the same random actions in turns, so that other work on the machine affects both. The
// times are processor time, not the clock's. As for an agent, a step has four frames, and the last
// two are observed. Prints a Markdown table: medians of the rounds and of their ratios.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "console.h"
#include "roms.h"
#include "tandem/base/cpu.h"
#include "tandem/base/error.h"
#include "tandem/base/median.h"
#include "tandem/base/random.h"

namespace tandem::atari {
namespace {

constexpr int kRounds = 15;
constexpr int kStepsARound = 200;
constexpr int kFramesPerStep = 4;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// One console and the stream of its actions.
class Player {
 public:
  Player(const std::filesystem::path& rom, const std::string& emulator)
      : console_(make_console(rom, {.emulator = emulator, .simd = best_simd()})),
        actions_(console_->minimal_actions()) {}

  /// Frames per second over a round.
  double play() {
    const double begin = processor_seconds();
    for (int step = 0; step < kStepsARound; ++step) {
      const int action = actions_[stream_.below(static_cast<std::uint32_t>(actions_.size()))];
      for (int frame = 0; frame < kFramesPerStep; ++frame) {
        const bool seen = frame >= kFramesPerStep - 2;
        console_->act(action, seen);
        if (seen) seen_ += *console_->screen();
      }
      if (console_->over()) console_->new_game();
    }
    return kStepsARound * kFramesPerStep / (processor_seconds() - begin);
  }

 private:
  std::unique_ptr<Console> console_;
  std::vector<int> actions_;
  Stream stream_{1, 0};
  std::uint64_t seen_ = 0;
};

struct Rates {
  double reference = 0;
  double fast = 0;
  double ratio = 0;
};

Rates measure(const std::filesystem::path& rom) {
  Player reference(rom, "reference");
  Player fast(rom, "fast");
  reference.play();
  fast.play();
  std::array<std::vector<double>, 3> rounds;
  for (int round = 0; round < kRounds; ++round) {
    rounds[0].push_back(reference.play());
    rounds[1].push_back(fast.play());
    rounds[2].push_back(rounds[1].back() / rounds[0].back());
  }
  return {median(rounds[0]), median(rounds[1]), median(rounds[2])};
}

void print_row(const std::string& name, const Rates& rates) {
  fmt::print("| {} | {:.0f} | {:.0f} | {:.2f} |\n", name, rates.reference, rates.fast, rates.ratio);
}

void run(const Roms& roms) {
  silence_ale();
  fmt::print("| game | reference, frames/s | fast, frames/s | ratio |\n|---|---|---|---|\n");
  double reference_seconds = 0;
  double fast_seconds = 0;
  const std::array games = {"Pong", "Breakout", "Qbert", "Seaquest", "Enduro", "BeamRider"};
  for (const auto* game : games) {
    const auto rates = measure(roms.find(game));
    print_row(game, rates);
    reference_seconds += 1 / rates.reference;
    fast_seconds += 1 / rates.fast;
  }
  const auto count = static_cast<double>(games.size());
  print_row("harmonic mean",
            {count / reference_seconds, count / fast_seconds, reference_seconds / fast_seconds});
}

}  // namespace
}  // namespace tandem::atari

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_emulator ROM_FOLDER\n");
    return 2;
  }
  try {
    tandem::atari::run(tandem::atari::Roms(argv[1]));
  } catch (const tandem::Error& error) {
    fmt::print(stderr, "bench_emulator: {}\n", error.what());
    return 2;
  }
  return 0;
}
