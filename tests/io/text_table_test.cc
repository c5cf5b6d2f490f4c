#include "tandem/io/text_table.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// Seen failing with 1.25e+03 and 1e+03.
TEST(PlainNumber, HasNoPowerOfTen) {
  EXPECT_EQ(plain_number(1250, 3), "1250");
  EXPECT_EQ(plain_number(999.7, 3), "1000");
  EXPECT_EQ(plain_number(-12345.6, 4), "-12346");
}

TEST(PlainNumber, HasItsDigits) {
  EXPECT_EQ(plain_number(99.96, 3), "100");
  EXPECT_EQ(plain_number(0.12345, 3), "0.123");
  EXPECT_EQ(plain_number(21, 4), "21");
}

}  // namespace
}  // namespace tandem
