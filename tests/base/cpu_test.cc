#include "tandem/base/cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

constexpr std::array kAll = {Simd::portable, Simd::avx2, Simd::avx512, Simd::amx};
constexpr std::array kOld = {Simd::portable};  // a CPU without AVX2

std::string refusal(std::string_view wanted, std::span<const Simd> available) {
  return error_of([&] { choose_simd(wanted, available); });
}

TEST(Cpu, TakesTheWidestOfTheAvailable) {
  EXPECT_EQ(choose_simd("", kAll), Simd::amx);
  EXPECT_EQ(choose_simd("", kOld), Simd::portable);
}

TEST(Cpu, TakesTheOneAskedFor) {
  for (const Simd simd : kAll) EXPECT_EQ(choose_simd(simd_name(simd), kAll), simd);
}

TEST(Cpu, RefusesWhatItLacksOrDoesNotKnowAndNamesTheChoices) {
  EXPECT_THAT(refusal("avx1024", kAll), testing::HasSubstr("portable, avx2, avx512"));
  EXPECT_THAT(refusal("avx2", kOld), testing::HasSubstr("this CPU has portable;"));
}

TEST(Cpu, EveryCpuHasThePortableSet) { EXPECT_EQ(available_simd().front(), Simd::portable); }

}  // namespace
}  // namespace tandem
