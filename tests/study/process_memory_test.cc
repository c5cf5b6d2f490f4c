#include "tandem/study/process_memory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

namespace tandem {
namespace {

// Environments of Gymnasium play in processes of their own. Meant to fail when this process alone
// was counted.
TEST(ProcessMemory, OfDescendantsIsThatOfTheProcessesBegunHere) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const double before = descendants_bytes();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::vector<char> block(kBytes, 1);
    if (write(ends[1], block.data(), 1) == 1) pause();
    _exit(0);
  }
  close(ends[1]);
  char ready = 0;
  ASSERT_EQ(read(ends[0], &ready, 1), 1);
  EXPECT_GT(descendants_bytes() - before, 0.9 * kBytes);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_LT(descendants_bytes() - before, 0.1 * kBytes);
  close(ends[0]);
}

}  // namespace
}  // namespace tandem
