#include "tandem/run/signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>

namespace tandem {
namespace {

int wait_status_of(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(SignalsTest, TheFirstOnlySetsTheFlag) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const StopSignals signals;
    EXPECT_FALSE(signals.requested());
    std::raise(signal);
    EXPECT_TRUE(signals.requested());
  }
}

TEST(SignalsTest, TheSecondEndsTheProcessWhicheverItIs) {
  for (const int first : {SIGINT, SIGTERM}) {
    for (const int second : {SIGINT, SIGTERM}) {
      const int status = wait_status_of([&] {
        const StopSignals signals;
        std::raise(first);
        std::raise(second);
      });
      ASSERT_TRUE(WIFSIGNALED(status));
      EXPECT_EQ(WTERMSIG(status), second);
    }
  }
}

TEST(SignalsTest, HandlersFromBeforeComeBack) {
  static volatile std::sig_atomic_t handled = 0;
  const auto before = std::signal(SIGTERM, [](int) { handled = 1; });
  { const StopSignals signals; }
  std::raise(SIGTERM);
  EXPECT_EQ(handled, 1);
  std::signal(SIGTERM, before);
}

TEST(SignalsTest, OneAtATime) {
  const StopSignals signals;
  EXPECT_THROW(StopSignals(), std::logic_error);
}

}  // namespace
}  // namespace tandem
