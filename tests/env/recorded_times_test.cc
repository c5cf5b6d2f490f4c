// Step times that were recorded in one environment and are replayed by another.
#include "tandem/env/recorded_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <set>

#include "tandem/base/clock.h"
#include "tandem/base/error.h"
#include "tandem/env/builtin.h"
#include "tandem/env/vec_env.h"
#include "tandem/io/temporary_folder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RecordedTimes : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const auto path = folder_.path() / "times.txt";
    std::ofstream(path) << text;
    return path.string();
  }

  std::string message(const std::string& text) {
    return error_of([&] { static_cast<void>(read_recorded_times(write(text))); });
  }

  /// Environments that replay the times of a file.
  static EnvFactory factory(const std::string& file) {
    std::shared_ptr<EnvFamily> family = make_builtin_family();
    for (const auto& field : family->fields()) {
      if (field.key == "step_times") set_field(field, file);
      if (field.key == "wait") set_field(field, std::string("sleeping"));
      if (field.key == "max_steps") set_field(field, std::int64_t{3});
    }
    return [family](int) { return family->make("latency", 0); };
  }

 private:
  TemporaryFolder folder_;
};

/// One environment, or several, and the times that their last frames show.
class Replaying {
 public:
  Replaying(const EnvFactory& factory, int count, std::uint64_t seed = 1)
      : envs_(factory, {.count = count, .seed = seed}), frames_(count * 4) {
    envs_.reset(std::as_writable_bytes(std::span(frames_)));
  }

  /// The times of a step, as multiples of the mean.
  std::vector<float> step() {
    std::vector<float> shares;
    envs_.step(std::vector<Action>(envs_.size()), std::as_writable_bytes(std::span(frames_)));
    for (int id = 0; id < envs_.size(); ++id) {
      const auto& result = envs_.result(id);
      const auto* final = reinterpret_cast<const float*>(envs_.final_observation(id).data());
      shares.push_back(result.truncated ? *final : frames_[id * 4]);
    }
    return shares;
  }

  VecEnv& envs() { return envs_; }
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(frames_)); }

 private:
  VecEnv envs_;
  std::vector<float> frames_;
};

TEST_F(RecordedTimes, AreReadInTheirOrder) {
  const auto file = write("# of a game\n0.5\n\n  1e-3 # a reset\r\n\t2\n#3\n60\n0");
  EXPECT_THAT(read_recorded_times(file), ElementsAre(0.5, 0.001, 2, 60, 0));
  const std::vector<double> times = {0.000213456, 0, 12.5};
  EXPECT_EQ(read_recorded_times(write(recorded_times_text(times))), times);
}

// Seen failing without the test for the end of the number, and without that for NaN.
TEST_F(RecordedTimes, OfABadFileNameTheLine) {
  EXPECT_THAT(message("0.1\n\n0.2 0.3\n"), HasSubstr("times.txt, line 3: '0.2 0.3' is no number"));
  EXPECT_THAT(message("0.1\nfast\n"), HasSubstr("line 2: 'fast' is no number"));
  EXPECT_THAT(message("0,1\n"), HasSubstr("line 1: '0,1' is no number"));
  EXPECT_THAT(message("-0.1\n"), HasSubstr("line 1: -0.1 is no time of a step; a step takes 0"));
  EXPECT_THAT(message("60.1\n"), HasSubstr("takes 0 to 60 seconds"));
  EXPECT_THAT(message("nan\n"), HasSubstr("line 1: nan is no time"));
  EXPECT_THAT(message("inf\n"), HasSubstr("line 1: inf is no time"));
  EXPECT_THAT(message("1e400\n"), HasSubstr("line 1"));
  EXPECT_THAT(message("# nothing\n\n"), HasSubstr("holds no time of a step; `tandem predict"));
  EXPECT_THROW(static_cast<void>(read_recorded_times("/is/not/there")), Error);
  EXPECT_THROW(static_cast<void>(read_recorded_times("/")), Error);  // a folder
}

// Episodes have three steps. Seen failing with a new first time for each episode, and with a replay
// that ends in the last time.
TEST_F(RecordedTimes, FollowEachOtherThroughEpisodesAndAroundTheEnd) {
  Replaying env(factory(write("0.001\n0.002\n0.003\n0.004\n0.005\n")), 1);  // mean 0.003
  float last = 3 * env.step().front();
  for (int step = 0; step < 12; ++step) {
    const float time = 3 * env.step().front();
    EXPECT_NEAR(time, last > 4.5F ? 1 : last + 1, 1e-5) << step;
    last = time;
  }
}

TEST_F(RecordedTimes, BeginAtRandomInEachEnvironment) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "0.0000" + std::to_string(10 + i % 90) + "\n";
  const auto file = write(text);
  const auto first = Replaying(factory(file), 16).step();
  EXPECT_GT((std::set<float>(first.begin(), first.end()).size()), 10U);
  EXPECT_EQ(Replaying(factory(file), 16).step(), first);
  EXPECT_NE(Replaying(factory(file), 16, 2).step(), first);
}

// Seen failing with a saved index of 0.
TEST_F(RecordedTimes, GoOnAfterLoad) {
  const auto make = factory(write("0.0001\n0.0002\n0.0003\n0.0004\n0.0005\n"));
  Replaying env(make, 3);
  env.step();
  StateWriter writer;
  env.envs().save(writer);
  Replaying resumed(make, 3, 7);
  StateReader reader(writer.bytes());
  EXPECT_TRUE(resumed.envs().load(reader, resumed.bytes()));
  for (int step = 0; step < 7; ++step) EXPECT_EQ(env.step(), resumed.step());

  Replaying shorter(factory(write("0.0001\n")), 3);
  StateReader again(writer.bytes());
  EXPECT_THROW(static_cast<void>(shorter.envs().load(again, shorter.bytes())), Error);
}

// Seen failing with steps that all take the mean.
TEST_F(RecordedTimes, AreSlept) {
  Replaying env(factory(write("0.02\n0\n")), 1);
  double shortest = 1;
  for (int step = 0; step < 8; ++step) {
    const Stopwatch watch;
    const bool sleeps = env.step().front() > 0;
    const double taken = watch.seconds();
    EXPECT_GE(taken, sleeps ? 0.02 : 0);
    shortest = std::min(shortest, taken);
  }
  EXPECT_LT(shortest, 0.01);
}

// Seen failing with a division by the mean of such a file.
TEST_F(RecordedTimes, MayAllBeZero) {
  Replaying env(factory(write("0\n")), 1);
  EXPECT_EQ(env.step().front(), 0);
}

}  // namespace
}  // namespace tandem
