#include "tandem/nn/torch/torch_network.h"

#include "tests/golden/golden_network.h"

namespace tandem {
namespace {

class TorchNetworkGolden : public testing::TestWithParam<int> {};

TEST_P(TorchNetworkGolden, HeadsAndGradientsAreThoseOfPyTorch) {
  expect_golden(golden_cases("networks").at(GetParam()), [](const auto& architecture, auto values) {
    return make_torch_network(architecture, values, "cpu");
  });
}

INSTANTIATE_TEST_SUITE_P(All, TorchNetworkGolden, golden_indices("networks"),
                         GoldenName{"networks"});

}  // namespace
}  // namespace tandem
