// Returns of Ape-X's actors, by how much they explore.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tandem/env/vec_env.h"
#include "tandem/run/interval.h"
#include "tandem/sync/annotations.h"
#include "tandem/sync/mutex.h"

namespace tandem {

/// Returns of episodes, in at most kBands bands of their actors' epsilons. Most returns come from
/// actors that explore much, while the paper's curves show the greediest actor (Figure 2). Safe to
/// use from many threads.
class ReturnsByEpsilon {
 public:
  static constexpr std::size_t kBands = 8;

  /// Takes the epsilon of each environment. If all are the same, or there are none, there are no
  /// bands.
  explicit ReturnsByEpsilon(std::span<const float> epsilons);

  /// The log key of the returns at an epsilon: "apex/return_epsilon_0.4". Pure.
  static std::string key_of(float epsilon);

  void add(std::span<const Episode> episodes);

  /// The mean return of each band in which episodes ended since the last call. Its key is key_of()
  /// of the band's least epsilon, and lives as long as this object.
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
