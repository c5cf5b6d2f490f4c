#include "tandem/replay/frame_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/random.h"

namespace tandem {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const EnvSpec kPictures{
    .dtype = DType::u8, .frame_shape = {1, 84, 84}, .stack = 4, .num_actions = 6};

/// A picture of one colour or of noise, with up to 30 bright pixels.
std::vector<std::byte> picture(Stream& stream, bool noise) {
  std::vector<std::byte> picture(7056, std::byte{87});
  if (noise) {
    for (auto& pixel : picture) pixel = static_cast<std::byte>(stream.below(256));
  }
  for (int i = 0; i < 30; ++i) picture[stream.below(7056)] = std::byte{236};
  return picture;
}

// Seen failing when frames were taken to be a byte shorter.
TEST(FrameCodec, BringsBackWhatItTook) {
  Stream stream(1, 0);
  for (const auto compression :
       {Compression::none, Compression::lz4, Compression::zstd, Compression::png}) {
    FrameCodec codec(frame_format(kPictures, compression));
    std::vector<std::byte> encoded;
    std::vector<std::byte> back(7056);
    for (const bool noise : {false, true}) {
      for (int i = 0; i < 10; ++i) {
        const auto original = picture(stream, noise);
        encoded.clear();
        codec.encode(original, encoded);
        codec.decode(encoded, back.data());
        ASSERT_EQ(back, original);
        if (!noise && compression != Compression::none) {
          EXPECT_LT(encoded.size(), 1000U);
        }
      }
    }
  }
}

TEST(FrameCodec, DamagedBytesAreAnError) {
  Stream stream(2, 0);
  for (const auto compression :
       {Compression::none, Compression::lz4, Compression::zstd, Compression::png}) {
    FrameCodec codec(frame_format(kPictures, compression));
    std::vector<std::byte> encoded;
    std::vector<std::byte> back(7056);
    codec.encode(picture(stream, false), encoded);
    // libpng does not notice if the last few bytes of a PNG are missing.
    for (std::size_t size = 0; size < encoded.size() * 3 / 4; size += 13) {
      EXPECT_THROW(codec.decode(std::span(encoded).first(size), back.data()), Error) << size;
    }
  }
}

TEST(FrameCodec, PngKeepsPicturesOnly) {
  const EnvSpec features{.frame_shape = {4}, .num_actions = 2};
  EXPECT_THAT([&] { frame_format(features, Compression::png); },
              ThrowsMessage<Error>(HasSubstr("keeps pictures")));
  EXPECT_THROW(compression_of("zip"), Error);
}

}  // namespace
}  // namespace tandem
