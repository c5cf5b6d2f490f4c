#include "tandem/io/video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "tandem/base/error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

class VideoTest : public testing::Test {
 protected:
  VideoTest() { fs::create_directories(folder_); }
  ~VideoTest() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::path(testing::TempDir()) /
      ("video_test_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

// The left half has one colour, the right half another. A pixel is 1.7 times as wide as high.
Picture two_colours(std::array<std::uint8_t, 3> left, std::array<std::uint8_t, 3> right) {
  Picture picture{.width = 10, .height = 7, .rgb = {}, .pixel_aspect = 1.7};
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const auto& colour = x < 5 ? left : right;
      picture.rgb.insert(picture.rgb.end(), colour.begin(), colour.end());
    }
  }
  return picture;
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), n);
  }
  pclose(pipe);
  return text;
}

TEST(VerticalScale, MakesAboutSixHundredFortyRows) {
  EXPECT_EQ(vertical_scale(210), 3);
  EXPECT_EQ(vertical_scale(84), 7);
  EXPECT_EQ(vertical_scale(1080), 1);
}

TEST(HorizontalScale, IsTheNearestWholeNumber) {
  EXPECT_EQ(horizontal_scale(1, 3), 3);
  EXPECT_EQ(horizontal_scale(12.0 / 7, 3), 5);
  EXPECT_EQ(horizontal_scale(12.0 / 7, 4), 7);
  EXPECT_EQ(horizontal_scale(0.1, 1), 1);
}

TEST_F(VideoTest, HoldsThePicturesEnlarged) {
  const auto file = folder_ / "test.mp4";
  const auto picture = two_colours({220, 20, 30}, {10, 40, 200});
  VideoWriter video(file, picture, {.fps = 15, .scale = 3});
  for (int i = 0; i < 30; ++i) video.add(picture);
  EXPECT_FALSE(fs::exists(file));
  video.close();

  EXPECT_EQ(output_of("ffprobe -v error -count_frames -select_streams v -of csv=p=0 -show_entries "
                      "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames " +
                      file.string()),
            "h264,50,22,yuv420p,15/1,30\n");  // 21 rows, and one more for an even number
  const auto pixels = output_of("ffmpeg -v error -i " + file.string() +
                                " -frames:v 1 -f rawvideo -pix_fmt rgb24 -");
  ASSERT_EQ(pixels.size(), 50U * 22 * 3);
  const auto value = [&](int x, int y, int channel) {
    return static_cast<int>(static_cast<unsigned char>(pixels[(y * 50 + x) * 3 + channel]));
  };
  for (int y : {1, 10, 19}) {
    EXPECT_NEAR(value(5, y, 0), 220, 12);
    EXPECT_NEAR(value(22, y, 0), 220, 12);
    EXPECT_NEAR(value(28, y, 2), 200, 12);
    EXPECT_NEAR(value(45, y, 2), 200, 12);
  }
}

TEST_F(VideoTest, LeavesNothingWhenItIsNotClosed) {
  const auto picture = two_colours({220, 20, 30}, {10, 40, 200});
  {
    VideoWriter video(folder_ / "test.mp4", picture, {});
    for (int i = 0; i < 100; ++i) video.add(picture);
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

// Seen failing when it was called a bug.
TEST_F(VideoTest, APictureOfAnotherSizeIsTheEnvironments) {
  auto picture = two_colours({}, {});
  VideoWriter video(folder_ / "test.mp4", picture, {});
  std::swap(picture.width, picture.height);  // as many bytes
  EXPECT_THAT([&] { video.add(picture); }, ThrowsMessage<Error>(HasSubstr("7 x 10 pixels")));
  std::swap(picture.width, picture.height);
  picture.rgb.resize(3);
  EXPECT_THAT([&] { video.add(picture); }, ThrowsMessage<Error>(HasSubstr("pictures of one size")));
}

TEST_F(VideoTest, SaysWhyFfmpegFailed) {
  const auto picture = two_colours({}, {});
  const auto record = [&](const fs::path& file) {
    VideoWriter video(file, picture, {});
    for (int i = 0; i < 20000; ++i) video.add(picture);
    video.close();
  };
  EXPECT_THAT([&] { record(folder_ / "missing" / "test.mp4"); },
              ThrowsMessage<Error>(HasSubstr("there is no folder")));
  EXPECT_THAT([&] { record(folder_ / "test"); },
              ThrowsMessage<Error>(HasSubstr("name it " + (folder_ / "test.mp4").string())));
  EXPECT_THAT([&] { record(folder_ / "test.nonsense"); },
              ThrowsMessage<Error>(HasSubstr("ffmpeg could not write the video")));
  EXPECT_THAT([&] { record(folder_); }, ThrowsMessage<Error>(HasSubstr("is a folder")));
}

// Makes `folder` the only folder in PATH while this object lives.
class OnlyPath {
 public:
  explicit OnlyPath(const fs::path& folder) : before_(std::getenv("PATH")) {
    setenv("PATH", folder.c_str(), 1);
  }
  ~OnlyPath() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

TEST_F(VideoTest, SaysHowToGetFfmpeg) {
  const OnlyPath path(folder_);
  EXPECT_THAT([&] { VideoWriter(folder_ / "test.mp4", two_colours({}, {}), {}); },
              ThrowsMessage<Error>(HasSubstr("apt-get install ffmpeg")));
}

// Seen failing with write() in place of send(): SIGPIPE ended the program.
TEST_F(VideoTest, OutlivesAnFfmpegThatEndsAtOnce) {
  std::ofstream(folder_ / "ffmpeg") << "#!/bin/sh\necho 'no encoder today' >&2\nexit 3\n";
  fs::permissions(folder_ / "ffmpeg", fs::perms::owner_all);
  const OnlyPath path(folder_);
  const auto record = [&] {
    const auto picture = two_colours({}, {});
    VideoWriter video(folder_ / "test.mp4", picture, {});
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    video.add(picture);
    video.close();
  };
  EXPECT_THAT(record, ThrowsMessage<Error>(HasSubstr("no encoder today")));
}

}  // namespace
}  // namespace tandem
