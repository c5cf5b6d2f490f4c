#include "tandem/nn/layer_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LayerList, ReadsEveryKindOfLayer) {
  const auto layers = parse_layers("conv 32 8 4,conv 64 4 2 tanh ,  conv 7 3 1 none, dense 512");
  ASSERT_EQ(layers.size(), 4);
  EXPECT_EQ(layers[0].kind, Layer::Kind::conv);
  EXPECT_EQ(layers[0].units, 32);
  EXPECT_EQ(layers[0].kernel, 8);
  EXPECT_EQ(layers[0].stride, 4);
  EXPECT_EQ(layers[0].activation, Activation::relu);
  EXPECT_EQ(layers[1].activation, Activation::tanh);
  EXPECT_EQ(layers[2].activation, Activation::none);
  EXPECT_EQ(layers[3].kind, Layer::Kind::dense);
  EXPECT_EQ(layers[3].units, 512);
  EXPECT_EQ(layers[3].stride, 0);
  EXPECT_EQ(parse_layers("dense 5 relu").front().activation, Activation::relu);
}

// A section in front of another has no ReLU, as in IMPALA's network.
TEST(LayerList, ReadsSections) {
  const auto layers = parse_layers("section 16 2, section 32 3 tanh, section 8 1, dense 9");
  ASSERT_EQ(layers.size(), 4);
  EXPECT_EQ(layers[0].kind, Layer::Kind::section);
  EXPECT_EQ(layers[0].units, 16);
  EXPECT_EQ(layers[0].blocks, 2);
  EXPECT_EQ(layers[0].activation, Activation::none);
  EXPECT_EQ(layers[1].blocks, 3);
  EXPECT_EQ(layers[1].activation, Activation::tanh);
  EXPECT_EQ(layers[2].activation, Activation::relu);
  EXPECT_EQ(parse_layers("section 8 1 relu, section 8 1").front().activation, Activation::relu);
  EXPECT_EQ(parse_layers("section 8 1, conv 8 3 1").front().activation, Activation::relu);
}

std::string complaint(const std::string& text) {
  return error_of([&] { static_cast<void>(parse_layers(text)); });
}

TEST(LayerList, SaysWhatIsWrongAndWhatToWrite) {
  EXPECT_THAT(
      complaint("conv 32 8 4, cov 64 4 2"),
      AllOf(HasSubstr("net.layers: layer 2, 'cov 64 4 2', begins with 'cov'"),
            HasSubstr("`conv UNITS KERNEL STRIDE`, `section UNITS BLOCKS` or `dense UNITS`"),
            HasSubstr("tanh")));
  EXPECT_THAT(complaint("conv 32 8"), HasSubstr("has 2 words"));
  EXPECT_THAT(complaint("dense 32 8 relu"), HasSubstr("needs 1 numbers"));
  EXPECT_THAT(complaint("dense"), HasSubstr("has 0 words"));
  EXPECT_THAT(complaint("dense 64 gelu"), HasSubstr("has 2 words"));
  EXPECT_THAT(complaint("dense 0"), HasSubstr("has '0' where an integer from 1 to 65536"));
  EXPECT_THAT(complaint("conv 8 3 x"), HasSubstr("has 'x' where"));
  EXPECT_THAT(complaint("conv 8 99999 1"), HasSubstr("1 to 1024"));
  EXPECT_THAT(complaint("dense 64, conv 8 3 1"), HasSubstr("behind a dense layer"));
  EXPECT_THAT(complaint("dense 64, section 8 2"), HasSubstr("behind a dense layer"));
  EXPECT_THAT(complaint("section 16"), HasSubstr("needs 2 numbers"));
  EXPECT_THAT(complaint("section 16 0"), HasSubstr("has '0' where an integer from 1 to 32"));
  EXPECT_THAT(complaint("dense 64,, dense 3"), HasSubstr("layer 2 is empty"));
  EXPECT_THAT(complaint("dense 64,"), HasSubstr("layer 2 is empty"));
  EXPECT_THAT(complaint(" "), HasSubstr("layer 1 is empty"));
  std::string many = "dense 1";
  for (int i = 0; i < 32; ++i) many += ", dense 1";
  EXPECT_THAT(complaint(many), HasSubstr("more than 32 layers"));
}

}  // namespace
}  // namespace tandem
