#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tandem/nn/onednn/onednn_network.h"
#include "tests/nn/network_contract.h"

extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int threads);

namespace tandem {
namespace {

// Seen failing when an agent left its user's thread with one, and PyTorch there with it.
TEST(OnednnThreads, GivesTheThreadItsThreadsOfOpenMPBack) {
  const Atari atari;
  std::thread([&] {
    omp_set_num_threads(3);
    const auto network = make_onednn_network(atari.architecture, atari.parameters, Precision::fp32);
    Outputs outputs;
    network->forward({atari.observations}, outputs.heads());
    std::vector<float> gradient(atari.parameters.size());
    differentiate(*network, atari, gradient);
    EXPECT_EQ(omp_get_max_threads(), 3);
  }).join();
}

}  // namespace
}  // namespace tandem
