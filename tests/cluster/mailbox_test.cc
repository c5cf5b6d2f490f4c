#include "tandem/cluster/mailbox.h"

#include <gtest/gtest.h>

#include <new>

namespace tandem {
namespace {

// Seen hanging in close(), which waits for answers that are being heard.
TEST(Mailbox, ClosesAfterAnAnswerThatCouldNotBeHeard) {
  Mailbox mailbox;
  mailbox.send("learner", {}, [](auto) { throw std::bad_alloc(); });
  const auto sent = mailbox.take(0);
  ASSERT_TRUE(sent);
  EXPECT_THROW(mailbox.answer(sent->ticket, {}), std::bad_alloc);
  mailbox.close();
}

}  // namespace
}  // namespace tandem
