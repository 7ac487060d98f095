// Numbers in text (src/base/read_number.hpp).

#include "base/read_number.hpp"

#include <gtest/gtest.h>

#include <clocale>

#include "base/types.hpp"

namespace trilemma::read_number_test {

TEST(ReadNumber, TakesEveryDecimalForm) {
  const std::pair<const char*, double> table[] = {
      {"35", 35},   {"+35", 35},      {"+3.5e+1", 35},  {"-4.e0", -4}, {".5", 0.5},
      {"6.", 6},    {" 1e3\t", 1000}, {"2E-2\r", 0.02}, {"-0", 0},     {"0e999", 0},
      {"1_0", -99}, {"+-1", -99},     {"--1", -99},     {"", -99},     {" ", -99},
      {"+", -99},   {"1 2", -99},     {"0x10", -99},    {"1,5", -99},  {"1e", -99}};
  for (const auto& [text, value] : table) {
    double found = 0;
    EXPECT_EQ(is_number(text, found), value != -99) << text;
    if (value != -99) {
      EXPECT_EQ(found, value) << text;
    }
  }
}

TEST(ReadNumber, TellsSmallFromLarge) {
  for (const char* text : {"1e-999", "-1e-999", "0.0001e-400", "1000e-999999999999"})
    EXPECT_EQ(read_number(text).text, NumberText::underflow) << text;
  for (const char* text : {"1e999", "-1e999", "1000e400", "0.001e+99999999999"})
    EXPECT_EQ(read_number(text).text, NumberText::overflow) << text;
  EXPECT_EQ(read_number("1" + std::string(400, '0')).text, NumberText::overflow);
  EXPECT_EQ(read_number("0." + std::string(400, '0') + "1").text, NumberText::underflow);
  for (const char* text : {"inf", "-inf", "nan", "NaN", "-nan", "Infinity"})
    EXPECT_EQ(read_number(text).text, NumberText::not_finite) << text;
  double value = 1;
  EXPECT_TRUE(is_number("1e-999", value));
  EXPECT_EQ(value, 0);
  EXPECT_FALSE(is_number("1e999", value));
}

TEST(ReadNumber, CountsWhatBecomesZero) {
  EXPECT_TRUE(is_lost(read_number("1e-999")));
  EXPECT_EQ(is_lost(read_number("1e-60")), sizeof(real) == 4);
  EXPECT_FALSE(is_lost(read_number("0")));
  EXPECT_FALSE(is_lost(read_number("1e-30")));
}

TEST(ReadNumber, StopsBehindThePrefix) {
  const std::string_view text = "3.5:1";
  const FoundNumber found = read_number_at(text);
  EXPECT_EQ(found.value, 3.5);
  EXPECT_EQ(found.end, text.data() + 3);
}

TEST(ReadNumber, WholeNumbersHaveDigitsAlone) {
  EXPECT_EQ(read_whole_number("0"), 0);
  EXPECT_EQ(read_whole_number("12"), 12);
  EXPECT_EQ(read_whole_number("9223372036854775807"), 9223372036854775807);
  for (const char* bad : {"", " ", "-1", "+1", "1.0", "1e3", "12 ", "0x10", "9223372036854775808"})
    EXPECT_EQ(read_whole_number(bad), std::nullopt) << bad;
}

}  // namespace trilemma::read_number_test
