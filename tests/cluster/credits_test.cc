#include "tandem/cluster/credits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

namespace tandem {
namespace {

TEST(Credits, WithoutAnAllowanceNobodyHasAny) {
  Credits credits;
  EXPECT_EQ(credits.grant({.actor = 1, .wish = 50}), 0);
}

// Seen failing when credits in hand did not count.
TEST(Credits, AreNeverMoreThanTheAllowance) {
  Credits credits;
  credits.allow(100);
  EXPECT_EQ(credits.grant({.actor = 1, .wish = 60}), 60);
  EXPECT_EQ(credits.grant({.actor = 2, .wish = 60}), 40);
  EXPECT_EQ(credits.grant({.actor = 3, .wish = 60}), 0);
  credits.allow(120);  // 100 are in hand
  EXPECT_EQ(credits.grant({.actor = 3, .wish = 60}), 20);
}

TEST(Credits, AnActorGetsWhatItSentAgain) {
  Credits credits;
  credits.allow(100);
  EXPECT_EQ(credits.grant({.actor = 1, .wish = 50}), 50);
  EXPECT_EQ(credits.grant({.actor = 1, .sent = 30, .credit = 20, .wish = 50}), 30);
  EXPECT_EQ(credits.grant({.actor = 1, .sent = 50, .credit = 0, .wish = 50}), 20);
}

// The actor has sent a whole segment, ten beyond its credit. Seen failing when these were free.
TEST(Credits, WhatComesBeyondThemIsMissingLater) {
  Credits credits;
  credits.allow(60);
  EXPECT_EQ(credits.grant({.actor = 1, .wish = 50}), 50);
  EXPECT_EQ(credits.grant({.actor = 1, .sent = 60, .credit = 0, .wish = 50}), 0);
}

// Seen failing when the shard's own count was believed.
TEST(Credits, AnAnswerThatWasLostLeavesNoWrongBalance) {
  Credits credits;
  credits.allow(100);
  EXPECT_EQ(credits.grant({.actor = 1, .wish = 60}), 60);  // the actor never hears it
  EXPECT_EQ(credits.grant({.actor = 1, .credit = 0, .wish = 60}), 60);
  EXPECT_EQ(credits.grant({.actor = 2, .wish = 60}), 40);
}

// Seen failing when the credit of an actor that was gone stayed in its hands.
TEST(Credits, AreFreeAgainWhenTheirActorIsSilent) {
  Credits credits(0.05);
  credits.allow(50);
  EXPECT_EQ(credits.grant({.actor = 1, .wish = 50}), 50);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  credits.allow(50);
  EXPECT_EQ(credits.grant({.actor = 2, .wish = 50}), 50);
}

// Seen failing when actors filled the shard while there was no learner.
TEST(Credits, EndWithTheLearnersWords) {
  Credits credits(0.05);
  credits.allow(1'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(credits.grant({.actor = 1, .wish = 50}), 0);
}

TEST(Credits, NumbersThatMakeNoSenseDoNoHarm) {
  Credits credits;
  credits.allow(100);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(credits.grant({.actor = 1, .sent = -kMost, .credit = -kMost, .wish = -kMost}), 0);
  EXPECT_EQ(credits.grant({.actor = 1, .wish = kMost}), 100);
}

TEST(Credits, AnActorThatBeginsAnewFreesThoseOfItsLastLife) {
  Credits credits;
  credits.allow(50);
  EXPECT_EQ(credits.grant({.actor = 1, .wish = 50}), 50);
  EXPECT_EQ(credits.grant({.actor = 1, .credit = 0, .wish = 10}), 10);
  EXPECT_EQ(credits.grant({.actor = 2, .wish = 50}), 40);
}

}  // namespace
}  // namespace tandem
