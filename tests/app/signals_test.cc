#include "tandem/app/signals.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include "tests/support/eventually.h"

namespace tandem {
namespace {

/// Sends as a terminal or `kill` does: to the process, not to a thread.
void send(int signal) { kill(getpid(), signal); }

/// Expects a stop to be requested soon.
void expect_a_request(const StopSignals& signals) {
  EXPECT_TRUE(eventually([&] { return signals.requested(); }));
}

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
    send(signal);
    expect_a_request(signals);
  }
}

// Seen failing without the line, and with one for each three seconds.
TEST(SignalsTest, AStopThatTakesLongTellsOnceHowToEndAtOnce) {
  testing::internal::CaptureStdout();
  const int status = wait_status_of([] {
    const StopSignals signals;
    send(SIGINT);
    std::this_thread::sleep_for(std::chrono::seconds(7));
  });
  EXPECT_TRUE(WIFEXITED(status));
  const auto told = testing::internal::GetCapturedStdout();
  const auto first = told.find("Ctrl-C again ends at once");
  ASSERT_NE(first, std::string::npos) << told;
  EXPECT_EQ(told.find("Ctrl-C", first + 1), std::string::npos) << told;
}

// `timeout` sends two signals. Seen failing when any second signal ended the process.
TEST(SignalsTest, TwoAtOnceAreOneRequest) {
  const int status = wait_status_of([] {
    const StopSignals signals;
    send(SIGINT);
    expect_a_request(signals);
    send(SIGINT);
    send(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  });
  EXPECT_TRUE(WIFEXITED(status));
}

TEST(SignalsTest, ASecondEndsTheProcessWhicheverItIs) {
  for (const int first : {SIGINT, SIGTERM}) {
    for (const int second : {SIGINT, SIGTERM}) {
      const int status = wait_status_of([&] {
        const StopSignals signals;
        send(first);
        expect_a_request(signals);
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        send(second);
        std::this_thread::sleep_for(std::chrono::seconds(10));
      });
      ASSERT_TRUE(WIFSIGNALED(status));
      EXPECT_EQ(WTERMSIG(status), second);
    }
  }
}

TEST(SignalsTest, AProcessThatWasToIgnoreThemStopsAllTheSame) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    const StopSignals signals;
    send(SIGINT);
    expect_a_request(signals);
  }
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}

// Seen failing when these threads did not block the signals. Trainings crashed when a handler ran
// on such a thread's stack.
TEST(SignalsTest, ThreadsThatComputeAreNotInterrupted) {
  const StopSignals signals;
  sigset_t blocked;
  std::thread([&] { pthread_sigmask(SIG_BLOCK, nullptr, &blocked); }).join();
  EXPECT_TRUE(sigismember(&blocked, SIGINT));
  EXPECT_TRUE(sigismember(&blocked, SIGTERM));
}

TEST(SignalsTest, HandlersFromBeforeComeBack) {
  static volatile std::sig_atomic_t handled = 0;
  const auto before = std::signal(SIGTERM, [](int) { handled = 1; });
  { const StopSignals signals; }
  std::raise(SIGTERM);
  EXPECT_EQ(handled, 1);
  std::signal(SIGTERM, before);
}

}  // namespace
}  // namespace tandem
