#include "tandem/cluster/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tandem/base/random.h"

namespace tandem {
namespace {

using Bytes = std::vector<std::byte>;

const Sender kSender{.run = 7, .epoch = 2, .part = kFirstActorPart + 3, .incarnation = 5};

Bytes sealed(const std::string& text) {
  MessageWriter writer(kSender, Verb::report, 11);
  writer.content().put_string(text);
  return std::move(writer).seal();
}

TEST(Message, OpensToWhatWasSealed) {
  const auto message = sealed("steps");
  const auto letter = open_message(message);
  EXPECT_EQ(letter.from, kSender);
  EXPECT_EQ(letter.verb, Verb::report);
  EXPECT_EQ(letter.sequence, 11U);
  StateReader reader(letter.content);
  EXPECT_EQ(reader.get_string(), "steps");
  EXPECT_TRUE(reader.at_end());
}

TEST(Message, MayHaveNoContent) {
  const auto message = MessageWriter(kSender, Verb::done).seal();
  EXPECT_TRUE(open_message(message).content.empty());
}

/// The sender in the error of a damaged message; empty if the message opens.
std::optional<Garbled> damage_of(std::span<const std::byte> message) {
  try {
    static_cast<void>(open_message(message));
    return std::nullopt;
  } catch (const Garbled& garbled) {
    return garbled;
  }
}

// Seen failing when only the content had a checksum.
TEST(Message, IsRefusedIfAnyBitHasChanged) {
  const auto whole = sealed("steps");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    auto message = whole;
    message[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_TRUE(damage_of(message)) << bit;
  }
}

// Seen failing when the sender was named only by messages that were whole.
TEST(Message, NamesItsSenderIfOnlyTheContentIsDamaged) {
  auto message = sealed("steps");
  message.back() ^= std::byte{1};
  const auto damage = damage_of(message);
  ASSERT_TRUE(damage);
  ASSERT_TRUE(damage->from());
  EXPECT_EQ(*damage->from(), kSender);
  message.front() ^= std::byte{1};
  EXPECT_FALSE(damage_of(message)->from());
}

TEST(Message, IsRefusedIfItIsCutOffOrLonger) {
  const auto whole = sealed("steps");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(damage_of(std::span(whole).first(size))) << size;
  }
  auto longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(damage_of(longer));
}

TEST(Message, IsNeverMadeOfNoise) {
  Stream stream(1, 1);
  Bytes noise(200);
  for (int i = 0; i < 1000; ++i) {
    for (auto& byte : noise) byte = static_cast<std::byte>(stream.below(256));
    EXPECT_TRUE(damage_of(noise));
  }
}

}  // namespace
}  // namespace tandem
