#include "tandem/nn/pixels.h"

#include <gtest/gtest.h>

#include <vector>

namespace tandem {
namespace {

class Pixels : public testing::TestWithParam<std::int64_t> {};

TEST_P(Pixels, ChannelsComeLastAndBytesAreScaled) {
  const std::int64_t batch = 3;
  const std::int64_t channels = GetParam();
  const std::int64_t pixels = 77;
  std::vector<std::byte> images(batch * channels * pixels);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<std::byte>(i * 37);
  std::vector<float> out(images.size());
  scale_channels_last(images, batch, channels, pixels, out.data());
  for (std::int64_t i = 0; i < batch; ++i) {
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t p = 0; p < pixels; ++p) {
        const auto byte = std::to_integer<int>(images[(i * channels + c) * pixels + p]);
        ASSERT_FLOAT_EQ(out[(i * pixels + p) * channels + c], static_cast<float>(byte) / 255.0f);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, Pixels, testing::Values(1, 3, 4, 12));

}  // namespace
}  // namespace tandem
