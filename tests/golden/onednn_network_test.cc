#include "tandem/nn/onednn/onednn_network.h"

#include "tests/golden/golden_network.h"

namespace tandem {
namespace {

class OnednnNetworkGolden : public testing::TestWithParam<int> {};

TEST_P(OnednnNetworkGolden, HeadsAndGradientsAreThoseOfPyTorch) {
  expect_golden(golden_cases("networks").at(GetParam()), [](const auto& architecture, auto values) {
    return make_onednn_network(architecture, values, Precision::fp32);
  });
}

INSTANTIATE_TEST_SUITE_P(All, OnednnNetworkGolden, golden_indices("networks"),
                         GoldenName{"networks"});

}  // namespace
}  // namespace tandem
