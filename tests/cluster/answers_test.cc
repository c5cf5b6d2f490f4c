#include "tandem/cluster/answers.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "tandem/cluster/message.h"

namespace tandem {
namespace {

using Bytes = std::vector<std::byte>;

template <class Number>
Bytes answer_of(Verb verb, Number content) {
  MessageWriter writer({.run = 7, .epoch = 3}, verb);
  writer.content().put(content);
  return std::move(writer).seal();
}

TEST(ReceiverAnswer, GrantsCredit) {
  const auto first = read_receiver_answer(answer_of(Verb::done, std::int64_t{5}), 10);
  EXPECT_EQ(first.granted, 5);
  EXPECT_FALSE(first.repeated);
  const auto second = read_receiver_answer(answer_of(Verb::again, std::int64_t{5}), 10);
  EXPECT_EQ(second.granted, 5);
  EXPECT_TRUE(second.repeated);
}

TEST(ReceiverAnswer, GrantsNothingIfItIsLostOrAsksTooMuch) {
  EXPECT_FALSE(read_receiver_answer(std::nullopt, 10).granted);
  for (const std::int64_t wrong : {-1, 11}) {
    const auto answer = read_receiver_answer(answer_of(Verb::done, wrong), 10);
    EXPECT_FALSE(answer.granted);
    EXPECT_EQ(answer.failure, "");  // the message goes out again
  }
}

TEST(ReceiverAnswer, TellsAFailure) {
  EXPECT_NE(read_receiver_answer(answer_of(Verb::closed, std::int64_t{0}), 10).failure, "");
  EXPECT_NE(read_receiver_answer(answer_of(Verb::garbled, std::int64_t{0}), 10).failure, "");
}

TEST(LearnerAnswer, TellsTheStateThatIsWanted) {
  const auto answer = read_learner_answer(answer_of(Verb::done, std::uint64_t{4}));
  EXPECT_TRUE(answer.heard);
  EXPECT_EQ(answer.epoch, 3U);
  EXPECT_EQ(answer.wanted, 4U);
}

// Once such an answer counted as heard, so that the report did not go out again.
TEST(LearnerAnswer, IsNotHeardIfItCannotBeRead) {
  EXPECT_FALSE(read_learner_answer(std::nullopt).heard);
  const auto answer = read_learner_answer(answer_of(Verb::done, std::uint8_t{4}));
  EXPECT_FALSE(answer.heard);
  EXPECT_EQ(answer.failure, "");
}

TEST(LearnerAnswer, TellsARefusal) {
  EXPECT_NE(read_learner_answer(answer_of(Verb::garbled, std::uint64_t{0})).failure, "");
}

}  // namespace
}  // namespace tandem
