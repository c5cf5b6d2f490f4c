// Which actors of Ape-X get how far.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tandem/env/vec_env.h"
#include "tandem/run/interval.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Returns of episodes by how much their actor explores, in at most kBands bands of epsilons: with
/// Ape-X's epsilons most returns are those of explorers, and its curves are of the greediest actor
/// (Figure 2). Safe to use from many threads.
class ReturnsByEpsilon {
 public:
  static constexpr std::size_t kBands = 8;

  /// The epsilon of each environment. Where all are the same there are no bands.
  explicit ReturnsByEpsilon(std::span<const float> epsilons);

  /// What the returns by an epsilon are called in the log: "apex/return_epsilon_0.4". Pure.
  static std::string key_of(float epsilon);

  void add(std::span<const Episode> episodes);

  /// A mean return for each band in which episodes ended since the last call, by
  /// key_of() the band's least epsilon. The names live as long as
  /// this.
  std::vector<Measure> take();

 private:
  struct Band {
    std::string key;
    double returns = 0;
    double episodes = 0;
  };

  std::vector<std::size_t> band_of_;  // of each environment
  Mutex mutex_;
  std::vector<Band> bands_ TANDEM_GUARDED_BY(mutex_);  // their keys never change
};

}  // namespace tandem
