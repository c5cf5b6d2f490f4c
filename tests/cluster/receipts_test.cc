#include "tandem/cluster/receipts.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

Letter letter(std::uint64_t sequence, std::uint64_t incarnation = 1, std::uint32_t part = 9) {
  return {.from = {.run = 1, .epoch = 1, .part = part, .incarnation = incarnation},
          .verb = Verb::insert,
          .sequence = sequence};
}

// Seen failing when only the last message was remembered.
TEST(Receipts, AMessageCountsOnceInWhateverOrderItComes) {
  Receipts receipts;
  for (const std::uint64_t sequence : {2, 1, 5, 4}) {
    EXPECT_EQ(receipts.take(letter(sequence)), Verb::done);
  }
  for (const std::uint64_t sequence : {1, 2, 4, 5}) {
    EXPECT_EQ(receipts.take(letter(sequence)), Verb::again);
  }
  EXPECT_EQ(receipts.take(letter(3)), Verb::done);
  EXPECT_EQ(receipts.take(letter(3)), Verb::again);
  EXPECT_EQ(receipts.take(letter(6)), Verb::done);
}

// Seen failing when numbers were expected to begin with 1: all later ones stayed in memory.
TEST(Receipts, AYoungerReceiverTakesTheNumbersUp) {
  Receipts receipts;
  EXPECT_EQ(receipts.take(letter(100'000)), Verb::done);
  EXPECT_EQ(receipts.take(letter(99'999)), Verb::done);
  EXPECT_EQ(receipts.take(letter(100'000)), Verb::again);
  EXPECT_EQ(receipts.take(letter(100'000 + Receipts::kWindow)), Verb::done);
  EXPECT_EQ(receipts.take(letter(99'998)), Verb::again);
}

TEST(Receipts, SendersCountApart) {
  Receipts receipts;
  EXPECT_EQ(receipts.take(letter(1, 1, 9)), Verb::done);
  EXPECT_EQ(receipts.take(letter(1, 1, 10)), Verb::done);
}

// Seen failing when an older incarnation could still speak.
TEST(Receipts, ANewIncarnationBeginsAnewAndEndsTheOlder) {
  Receipts receipts;
  EXPECT_EQ(receipts.take(letter(1, 1)), Verb::done);
  EXPECT_EQ(receipts.take(letter(1, 2)), Verb::done);
  EXPECT_EQ(receipts.take(letter(2, 1)), Verb::closed);
  EXPECT_EQ(receipts.take(letter(2, 2)), Verb::done);
}

// Seen failing when all incarnations of the sender were closed.
TEST(Receipts, AClosedIncarnationMaySayNoMore) {
  Receipts receipts;
  receipts.take(letter(1, 1));
  receipts.close(letter(1, 1).from);
  EXPECT_EQ(receipts.take(letter(2, 1)), Verb::closed);
  EXPECT_EQ(receipts.take(letter(1, 2)), Verb::done);
  receipts.close(letter(1, 1).from);
  EXPECT_EQ(receipts.take(letter(2, 2)), Verb::done);
}

}  // namespace
}  // namespace tandem
