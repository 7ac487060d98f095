#pragma once
// The one reader of decimal numbers in text, whatever the format.

#include <string_view>

namespace trilemma {

/// What a text is as a number.
enum class NumberText {
  number,
  underflow,   ///< not zero, but nearer to it than any double: read as 0
  overflow,    ///< larger than any double
  not_finite,  ///< inf, nan
  none,        ///< no number
};

struct FoundNumber {
  NumberText text = NumberText::none;
  double value = 0;           ///< 0 unless it is a number
  const char* end = nullptr;  ///< behind the number; the start of the text if there is none
};

/// Reads the decimal number at the start of a text: a sign (+ too), digits with or without a point,
/// an exponent; independent of the locale.
FoundNumber read_number_at(std::string_view text);

/// Reads a whole text, blanks around the number allowed; `none` if anything else follows.
FoundNumber read_number(std::string_view text);

/// Returns true if the whole text is a number that is finite as `real`; sets `value`.
bool is_number(std::string_view text, double& value);

/// Returns true if a number that is not 0 becomes 0 as `real`, or is 0 as a double already.
bool is_lost(const FoundNumber& found);

}  // namespace trilemma
