#include "tandem/systems/catalogue.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/nearest.h"

namespace tandem {
namespace {

constexpr std::array<System, 6> kSystems = {{
    {"paac",
     "workers step n_e environments; one learner acts and updates in batches, synchronously",
     "Clemente, Castejon and Chandra: Efficient parallel methods for deep reinforcement learning, "
     "2017, arXiv:1705.04862"},
    {"a3c",
     "threads act and learn, each with its own environment, on shared parameters without locks",
     "Mnih et al.: Asynchronous methods for deep reinforcement learning, ICML 2016, "
     "arXiv:1602.01783"},
    {"ga3c",
     "agents ask predictors what to do and send trainers what they saw: batches, one model, no "
     "waiting",
     "Babaeizadeh, Frosio, Tyree, Clemons and Kautz: Reinforcement learning through asynchronous "
     "advantage actor-critic on a GPU, ICLR 2017, arXiv:1611.06256"},
    {"hts",
     "executors step, actors predict and learners learn at once; all synchronise every alpha "
     "steps, and every run gives the same bits",
     "Liu, Yeh and Schwing: High-throughput synchronous deep RL, NeurIPS 2020, arXiv:2012.09849"},
    {"impala",
     "actors play by copies of the parameters; one learner corrects by V-trace for what it has "
     "learned meanwhile",
     "Espeholt et al.: IMPALA: Scalable distributed deep-RL with importance weighted actor-learner "
     "architectures, ICML 2018, arXiv:1802.01561"},
    {"apex",
     "actors, each exploring in its own way, fill a prioritized replay from which one learner "
     "learns",
     "Horgan et al.: Distributed prioritized experience replay, ICLR 2018, arXiv:1803.00933"},
}};

}  // namespace

std::span<const System> systems() { return kSystems; }

void check_system(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& system : systems()) {
    if (name == system.name) return;
    names.emplace_back(system.name);
  }
  const auto near = nearest(name, names);
  throw Error(fmt::format("there is no system {};{} `tandem systems` lists all", name,
                          near.empty() ? "" : " did you mean " + near + "?"));
}

}  // namespace tandem
