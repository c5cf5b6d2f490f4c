#include "tandem/base/field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "tests/support/error_of.h"

namespace tandem {
namespace {

struct Options {
  std::int64_t steps = 7;
  double rate = 0.5;
  bool sticky = false;
  std::string arch = "nips";

  FieldList fields() {
    return {
        {.key = "steps", .target = &steps, .meaning = "steps", .least = 1, .most = 1e9},
        {.key = "rate", .target = &rate, .meaning = "rate", .least = 0},
        {.key = "sticky", .target = &sticky, .meaning = "sticky"},
        {.key = "arch", .target = &arch, .meaning = "net", .choices = {"nips", "nature", "mlp"}},
    };
  }
};

class FieldTest : public testing::Test {
 protected:
  std::string error_of(const Field& field, const std::string& text) {
    return tandem::error_of([&] { set_field_text(field, text); });
  }
  std::string error_of_value(const Field& field, const FieldValue& value) {
    return tandem::error_of([&] { set_field(field, value); });
  }

  Options options;
  FieldList fields = options.fields();
  Field& steps = fields[0];
  Field& rate = fields[1];
  Field& sticky = fields[2];
  Field& arch = fields[3];
};

TEST_F(FieldTest, TextSetsEachType) {
  set_field_text(steps, "12");
  set_field_text(rate, "1e-3");
  set_field_text(sticky, "true");
  set_field_text(arch, "mlp");
  EXPECT_EQ(options.steps, 12);
  EXPECT_EQ(options.rate, 1e-3);
  EXPECT_TRUE(options.sticky);
  EXPECT_EQ(options.arch, "mlp");
}

TEST_F(FieldTest, NumbersMayHaveSuffixesExponentsAndUnderscores) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"20M", 20'000'000},  {"5k", 5'000},         {"1e6", 1'000'000},  {"0.5M", 500'000},
      {"115_000", 115'000}, {"1G", 1'000'000'000}, {"4.1M", 4'100'000}, {"16.1k", 16'100}};
  for (const auto& [text, value] : cases) {
    set_field_text(steps, text);
    EXPECT_EQ(options.steps, value) << text;
  }
  set_field_text(rate, "2k");
  EXPECT_EQ(options.rate, 2000);
}

TEST_F(FieldTest, MessagesNameKeyNeedAndValue) {
  EXPECT_EQ(error_of(steps, "0"), "steps needs an integer from 1 to 1000000000, not 0");
  EXPECT_EQ(error_of(steps, "2.5"), "steps needs an integer from 1 to 1000000000, not 2.5");
  EXPECT_EQ(error_of(steps, "many"), "steps needs an integer from 1 to 1000000000, not \"many\"");
  EXPECT_EQ(error_of(rate, "-1"), "rate needs a number of at least 0, not -1");
  EXPECT_EQ(error_of(sticky, "1"), "sticky needs true or false, not \"1\"");
  EXPECT_EQ(error_of(arch, "nip"), "arch needs one of nips, nature or mlp, not \"nip\"");
}

TEST_F(FieldTest, NothingThatIsNoNumberPasses) {
  for (const auto* text : {"", "M", "-", "5x", "5 k", "nan", "inf", "1e400", "0x10", "5kk", "_"}) {
    EXPECT_NE(error_of(rate, text), "") << text;
    EXPECT_NE(error_of(steps, text), "") << text;
  }
}

TEST_F(FieldTest, TypedValuesMustHaveTheType) {
  EXPECT_EQ(error_of_value(steps, std::string("5")),
            "steps needs an integer from 1 to 1000000000, not \"5\"");
  EXPECT_NE(error_of_value(steps, true), "");
  EXPECT_NE(error_of_value(rate, std::numeric_limits<double>::quiet_NaN()), "");
  EXPECT_NE(error_of_value(sticky, std::int64_t{1}), "");
  EXPECT_NE(error_of_value(arch, 1.0), "");
  EXPECT_EQ(error_of_value(steps, 1e6), "");
  EXPECT_EQ(options.steps, 1'000'000);
  EXPECT_EQ(error_of_value(rate, std::int64_t{3}), "");
  EXPECT_EQ(options.rate, 3.0);
}

TEST_F(FieldTest, ARefusedValueChangesNothing) {
  error_of(steps, "0");
  error_of(arch, "other");
  EXPECT_EQ(options.steps, 7);
  EXPECT_EQ(options.arch, "nips");
}

TEST_F(FieldTest, AWordStandsForANumberOutOfRange) {
  rate.most = 1;
  rate.words = {{"auto", -1}};
  EXPECT_EQ(field_range(rate), "0 to 1 or auto");
  EXPECT_EQ(field_text(rate), "0.5");
  set_field_text(rate, "auto");
  EXPECT_EQ(options.rate, -1);
  EXPECT_EQ(field_text(rate), "auto");
  set_field(rate, 0.25);
  EXPECT_EQ(options.rate, 0.25);
  set_field(rate, std::string("auto"));  // as read from a file
  EXPECT_EQ(field_value(rate), FieldValue("auto"));
  EXPECT_EQ(error_of(rate, "-1"), "rate needs a number from 0 to 1 or auto, not -1");
  EXPECT_EQ(error_of(rate, "aut"), "rate needs a number from 0 to 1 or auto, not \"aut\"");
  EXPECT_NE(error_of(steps, "auto"), "");  // this field has no word
}

TEST_F(FieldTest, SeveralWordsStandForNumbers) {
  rate.most = 1;
  rate.words = {{"auto", -1}, {"median", -2}};
  EXPECT_EQ(field_range(rate), "0 to 1, auto or median");
  set_field_text(rate, "median");
  EXPECT_EQ(options.rate, -2);
  EXPECT_EQ(field_text(rate), "median");
  set_field_text(rate, "auto");
  EXPECT_EQ(options.rate, -1);
}

TEST_F(FieldTest, ATextMayBeABooleanOrAnotherWord) {
  arch.choices = {"true", "false", "auto"};
  set_field(arch, true);
  EXPECT_EQ(options.arch, "true");
  EXPECT_EQ(field_value(arch), FieldValue(true));
  EXPECT_EQ(field_text(arch), "true");
  set_field_text(arch, "false");
  EXPECT_EQ(field_value(arch), FieldValue(false));
  set_field(arch, std::string("auto"));
  EXPECT_EQ(field_value(arch), FieldValue("auto"));
  EXPECT_EQ(error_of(arch, "yes"), "arch needs one of true, false or auto, not \"yes\"");
}

TEST_F(FieldTest, TextLoadsBackToTheSameBits) {
  for (const double value : {0.1, 1.0 / 3, 1e-300, 5e-324, 0.0007 * 32, 1.7976931348623157e308}) {
    options.rate = value;
    const auto text = field_text(rate);
    options.rate = 0;
    set_field_text(rate, text);
    EXPECT_EQ(options.rate, value) << text;
  }
}

TEST_F(FieldTest, LargeIntegersStayExact) {
  Field seed{.key = "seed", .target = &options.steps, .meaning = "seed"};
  set_field_text(seed, "9223372036854775807");
  EXPECT_EQ(options.steps, std::numeric_limits<std::int64_t>::max());
  EXPECT_NE(error_of(seed, "9223372036854775808"), "");
  EXPECT_EQ(field_text(seed), "9223372036854775807");
}

// Such a number is in the range, and a message of the range alone would contradict itself.
TEST_F(FieldTest, IntegersThatAreTooLargeToBeExactHaveALimit) {
  Field seed{.key = "seed", .target = &options.steps, .meaning = "seed", .least = 0};
  const std::string limits =
      "seed needs an integer of at least 0, at most 9223372036854775807 in digits alone and at "
      "most "
      "9007199254740992 with an exponent or a suffix, not ";
  EXPECT_EQ(error_of(seed, "1e16"), limits + "1e+16");
  EXPECT_EQ(error_of(seed, "18446744073709551615"), limits + "1.8446744073709552e+19");
  EXPECT_EQ(error_of(seed, "9e15"), "");
  EXPECT_EQ(error_of(seed, "-1e16"), "seed needs an integer of at least 0, not -1e+16");
  EXPECT_EQ(error_of(steps, "1e16"), "steps needs an integer from 1 to 1000000000, not 1e+16");
  EXPECT_EQ(error_of(seed, "1e400"), "seed needs an integer of at least 0, not \"1e400\"");
}

TEST_F(FieldTest, RangesInWords) {
  EXPECT_EQ(field_range(steps), "1 to 1000000000");
  EXPECT_EQ(field_range(rate), "at least 0");
  EXPECT_EQ(field_range(sticky), "true or false");
  EXPECT_EQ(field_range(arch), "nips, nature or mlp");
  EXPECT_EQ(field_type(arch), "text");
}

TEST_F(FieldTest, ValueOfAnIntegerFieldByItsKey) {
  EXPECT_EQ(whole_value(fields, "steps"), 7);
  EXPECT_THROW(static_cast<void>(whole_value(fields, "rate")), std::logic_error);
  EXPECT_THROW(static_cast<void>(whole_value(fields, "pace")), std::logic_error);
}

TEST_F(FieldTest, PrefixGoesBeforeEachKey) {
  const auto all = prefixed("paac.", options.fields());
  EXPECT_EQ(all.front().key, "paac.steps");
  EXPECT_EQ(all.back().key, "paac.arch");
}

}  // namespace
}  // namespace tandem
