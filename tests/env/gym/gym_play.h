// Plays groups of the environments in gym_test_envs.py.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/env/gym/gym_group.h"
#include "tests/support/eventually.h"

namespace tandem {

/// The actions of Faulty in gym_test_envs.py, which say what goes wrong.
enum Fault : std::int32_t {
  kNothing,
  kRaise,
  kKill,
  kExit,
  kHang,
  kHangInC,
  kShape,
  kDtype,
  kNanReward,
  kNoReward,
  kFour,
  kPrint,
  kNanObservation,
  kNewActions,
  kChild,
  kSlow,
  kLongError,
  kSystemExit,
  kTerminate,
  kTruncate
};

/// A test whose workers find the environments of the tests. Skipped where the interpreter of the
/// tests has no gymnasium.
class GymTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string python = TANDEM_TEST_PYTHON;
    static const bool there =
        std::system((python + " -c 'import gymnasium' 2>/dev/null").c_str()) == 0;
    if (!there) GTEST_SKIP() << python << " has no gymnasium";
    setenv("TANDEM_PYTHON", python.c_str(), 1);
    setenv("PYTHONPATH", TANDEM_SOURCE_DIR "/tests/env/gym", 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
  }
};

/// An answer, with the frames that came with it.
struct Seen {
  StepResult result;
  std::vector<float> frame;
  std::vector<float> first_frame;
  std::string error;  // empty: none
};

/// A group with memory for its frames. Its seeds are 100, 101, ...
class GymPlay {
 public:
  explicit GymPlay(int count, GymOptions options = {},
                   const std::string& name = "gym_test_envs:Faulty-v0")
      : group_(name, std::move(options), seeds(count)),
        frames_(numbers_of(count)),
        first_frames_(numbers_of(count)) {}

  GymGroup& group() { return group_; }

  /// Resets environments and returns their answers, in the order of `envs`.
  std::vector<Seen> reset(const std::vector<int>& envs) {
    std::vector<GroupRequest> requests;
    for (const int env : envs) requests.push_back({.env = env, .frames = bytes(frames_[env])});
    return play(envs, requests);
  }

  /// Steps environments by discrete actions.
  std::vector<Seen> step(const std::vector<int>& envs, const std::vector<Action>& actions,
                         bool autoreset = false) {
    begin(envs, actions, autoreset);
    return finish(envs);
  }

  void begin(const std::vector<int>& envs, const std::vector<Action>& actions,
             bool autoreset = false) {
    std::vector<GroupRequest> requests;
    for (std::size_t k = 0; k < envs.size(); ++k) {
      requests.push_back(
          {.env = envs[k],
           .actions = std::span(actions).subspan(k, 1),
           .frames = bytes(frames_[envs[k]]),
           .first_frames = autoreset ? bytes(first_frames_[envs[k]]) : std::span<std::byte>()});
    }
    group_.begin(requests);
  }

  std::vector<Seen> finish(const std::vector<int>& envs) {
    std::vector<Seen> seen(frames_.size());
    for (const auto& answer : group_.finish(static_cast<int>(envs.size()))) {
      seen[answer.env] = {.result = answer.result,
                          .frame = frames_[answer.env],
                          .first_frame = first_frames_[answer.env],
                          .error = words_of(answer.error)};
    }
    std::vector<Seen> asked;
    for (const int env : envs) asked.push_back(seen[env]);
    return asked;
  }

  /// The answer of one step of environment 0.
  Seen step_first(std::int32_t action, bool autoreset = false) {
    return step({0}, {{.discrete = action}}, autoreset).front();
  }

 private:
  static std::vector<std::uint64_t> seeds(int count) {
    std::vector<std::uint64_t> seeds;
    for (int i = 0; i < count; ++i) seeds.push_back(100 + static_cast<std::uint64_t>(i));
    return seeds;
  }

  [[nodiscard]] std::vector<std::vector<float>> numbers_of(int count) const {
    const auto numbers = group_.spec().frame_bytes() / sizeof(float);
    return {static_cast<std::size_t>(count), std::vector<float>(numbers, -7)};
  }

  static std::span<std::byte> bytes(std::vector<float>& frame) {
    return std::as_writable_bytes(std::span(frame));
  }

  static std::string words_of(const std::exception_ptr& error) {
    if (!error) return "";
    try {
      std::rethrow_exception(error);
    } catch (const Error& why) {
      return why.what();
    }
  }

  std::vector<Seen> play(const std::vector<int>& envs, std::span<const GroupRequest> requests) {
    group_.begin(requests);
    return finish(envs);
  }

  GymGroup group_;
  std::vector<std::vector<float>> frames_;
  std::vector<std::vector<float>> first_frames_;
};

/// Whether a process is there and no zombie.
inline bool runs(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto end = text.rfind(") ");
  return end != std::string::npos && text[end + 2] != 'Z' && text[end + 2] != 'X';
}

/// Whether a process ends soon.
inline bool soon_gone(std::int64_t process) {
  return eventually([&] { return !runs(process); });
}

}  // namespace tandem
