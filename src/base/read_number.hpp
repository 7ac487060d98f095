#pragma once
// Parsing of decimal numbers, shared by all text formats.

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/types.hpp"

namespace trilemma {

/// Result of parsing a text as a number.
enum class NumberText {
  number,
  underflow,   ///< nonzero, but closer to zero than any double: read as 0
  overflow,    ///< magnitude larger than that of any double
  not_finite,  ///< inf, nan
  none,        ///< not a number at all
};

/// A number parsed from the start of a text.
struct FoundNumber {
  NumberText text = NumberText::none;
  double value = 0;           ///< 0 unless `text` is `number`
  const char* end = nullptr;  ///< end of the number; start of the text if there is none
};

/// Parses the decimal number at the start of `text`: a sign (+ or -), digits with or without a
/// decimal point, an exponent. Independent of the locale.
FoundNumber read_number_at(std::string_view text);

/// Parses `text` as a whole; blanks around the number are allowed. `none` if anything else follows.
FoundNumber read_number(std::string_view text);

/// Returns the whole number that the text is, without a sign; nothing for another text and for what
/// does not fit.
std::optional<long> read_whole_number(std::string_view text);

/// Returns whether the whole text is a number that is finite as `real`; sets `value`.
bool is_number(std::string_view text, double& value);

/// Returns why `value`, which is not finite as `real`, cannot be stored, for messages: "1e+39 is
/// above 3.4e38 in size; divide ..." or "nan is not a finite number; CURE".
std::string number_problem(double value, std::string_view cure);

/// Returns the number that no finite `real` exceeds, for messages.
constexpr const char* largest_real() { return std::is_same_v<real, float> ? "3.4e38" : "1.8e308"; }

/// Returns whether a nonzero number becomes 0 as `real`, or has already become 0 as a double.
bool is_lost(const FoundNumber& found);

}  // namespace trilemma
