#include "tandem/run/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tandem/algo/a2c.h"
#include "tandem/base/error.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/linear_network.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// Games of twelve steps, each with a reward of 1. The picture grows brighter with each step.
class Clock : public Env {
 public:
  explicit Clock(bool visible) : visible_(visible) {}

  const EnvSpec& spec() const override { return spec_; }
  void reset(Stream&, std::span<std::byte> frame) override {
    step_ = 0;
    show(frame);
  }
  StepResult step(std::span<const Action>, Stream&, std::span<std::byte> frame) override {
    ++step_;
    show(frame);
    return {.reward = 1, .terminated = step_ == 12, .game_over = step_ == 12};
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
  Picture render() const override {
    if (!visible_) return {};
    const auto brightness = static_cast<std::uint8_t>(step_ * 20);
    return {.width = 16, .height = 16, .rgb = std::vector(16 * 16 * 3, brightness)};
  }

 private:
  void show(std::span<std::byte> frame) const {
    const auto value = static_cast<float>(step_);
    std::memcpy(frame.data(), &value, sizeof(value));
  }

  const EnvSpec spec_{.frame_shape = {1}, .num_actions = 2, .render_fps = 4};
  bool visible_;
  int step_ = 0;
};

class RecordingTest : public testing::Test {
 protected:
  Recording record(const RecordingOptions& options, bool visible = true) {
    const auto make_env = [=](int) { return std::make_unique<Clock>(visible); };
    return record_game(file_, options, make_env, network_, *algorithm_.acting);
  }

  // The brightness of each picture.
  std::vector<int> pictures() const {
    const auto command = "ffmpeg -v error -i " + file_.string() +
                         " -vf scale=1:1:flags=area -f rawvideo -pix_fmt gray -";
    std::FILE* pipe = popen(command.c_str(), "r");
    std::vector<int> pictures;
    for (int byte = 0; (byte = std::fgetc(pipe)) != EOF;) pictures.push_back(byte);
    pclose(pipe);
    return pictures;
  }

  const TemporaryFolder folder_;
  const fs::path file_ = folder_.path() / "recording_test.mp4";
  const Architecture architecture_ =
      linear_architecture({.dtype = DType::f32, .frame_shape = {1}, .num_actions = 2});
  const std::vector<float> parameters_ = std::vector<float>(6, 0.0F);
  LinearNetwork network_{architecture_, parameters_};
  Algorithm algorithm_ = make_a2c({});
};

TEST_F(RecordingTest, ShowsEachStateOfTheGameOnce) {
  const auto recording = record({.scale = 1});
  EXPECT_TRUE(recording.whole);
  EXPECT_EQ(recording.game_return, 12);
  EXPECT_EQ(recording.steps, 12);
  EXPECT_DOUBLE_EQ(recording.seconds, 3);
  const auto brightness = pictures();
  ASSERT_EQ(brightness.size(), 12U);
  for (int i = 0; i < 12; ++i) EXPECT_NEAR(brightness[i], i * 20, 4) << "picture " << i;
}

TEST_F(RecordingTest, StopsAtTheLimit) {
  const auto recording = record({.seconds = 1.5});
  EXPECT_FALSE(recording.whole);
  EXPECT_EQ(recording.game_return, 6);
  EXPECT_EQ(pictures().size(), 6U);
}

TEST_F(RecordingTest, NeedsPictures) {
  EXPECT_THAT([&] { record({}, false); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("no pictures")));
}

}  // namespace
}  // namespace tandem
