#include "tandem/nn/kernels/layer_parameters.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tandem {
namespace {

Architecture small_convolutional() {
  EnvSpec spec;
  spec.dtype = DType::u8;
  spec.frame_shape = {2, 40, 44};
  spec.num_actions = 3;
  return make_architecture({}, spec);
}

constexpr Cells kCells{.channels = 2, .height = 40, .width = 44, .kernel = 8, .stride = 4};

TEST(LayerParameters, WrittenBackAreThoseThatWereRead) {
  const auto architecture = small_convolutional();
  std::vector<float> flat(architecture.parameter_count());
  std::iota(flat.begin(), flat.end(), 1.0f);
  LayerParameters parameters(architecture, kCells);
  parameters.read(flat);
  std::vector<float> back = flat;
  const auto infos = architecture.parameters();
  for (const auto& info : infos) {
    if (info.name.starts_with("conv1") || info.name.starts_with("policy") ||
        info.name == "value.weight") {
      std::fill_n(back.begin() + info.offset, info.count, -1.0f);
    }
  }
  parameters.write(back);
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const bool first = i < static_cast<std::size_t>(infos.front().count);
    // Each direction divides the first layer's weights by 255.
    ASSERT_FLOAT_EQ(back[i], first ? flat[i] / 255 / 255 : flat[i]) << i;
  }
}

TEST(LayerParameters, ALayerBehindASectionFollowsAllItsTensors) {
  EnvSpec spec;
  spec.frame_shape = {2, 9, 9};
  spec.num_actions = 3;
  const auto architecture = make_architecture({.layers = "section 8 2, dense 5"}, spec);
  std::vector<float> flat(static_cast<std::size_t>(architecture.parameter_count()));
  std::iota(flat.begin(), flat.end(), 0.0F);
  LayerParameters parameters(architecture, {});
  parameters.read(flat);
  const auto infos = architecture.parameters();
  ASSERT_EQ(infos[10].name, "dense1.weight");
  EXPECT_EQ(parameters.layer(0, std::span<const float>(flat)), flat.data());
  EXPECT_EQ(parameters.layer(1, std::span<const float>(flat)), &flat[infos[10].offset]);
  EXPECT_EQ(*parameters.layer(2, std::span<const float>(flat)), flat[infos[12].offset]);
}

TEST(LayerParameters, AConvolutionOverCellsIsThatOverPixels) {
  const auto architecture = small_convolutional();
  std::vector<float> flat(architecture.parameter_count());
  for (std::size_t i = 0; i < flat.size(); ++i) flat[i] = static_cast<float>(i * 31 % 17) - 8;
  LayerParameters parameters(architecture, kCells);
  parameters.read(flat);
  const auto* weights = parameters.layer(0, std::span<const float>(flat));

  std::vector<std::byte> image(2 * 40 * 44);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::byte>(i * 37);
  std::vector<float> cells(kCells.depth() * kCells.rows() * kCells.columns());
  write_cells(image, 1, kCells, 8, cells.data());
  // Compares one output: that of filter 5 at row 3 and column 2.
  double expected = 0;
  for (int c = 0; c < 2; ++c) {
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) {
        const auto byte = std::to_integer<int>(image[(c * 40 + 12 + y) * 44 + 8 + x]);
        expected += flat[((5 * 2 + c) * 8 + y) * 8 + x] * byte / 255.0;
      }
    }
  }
  double actual = 0;
  for (int depth = 0; depth < 32; ++depth) {
    for (int y = 0; y < 2; ++y) {
      for (int x = 0; x < 2; ++x) {
        const auto place = (3 + y) * kCells.columns() + 2 + x;
        const auto cell = (depth / 8 * kCells.rows() * kCells.columns() + place) * 8 + depth % 8;
        actual += weights[((5 * 32 + depth) * 2 + y) * 2 + x] * cells[cell];
      }
    }
  }
  EXPECT_NEAR(actual, expected, 1e-4);
}

}  // namespace
}  // namespace tandem
