#include "base/read_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/types.hpp"

namespace trilemma {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns whether the number in [at, end), which no double holds, is too small rather than too
// large, judged by the power of ten of its first nonzero digit.
bool is_small(const char* at, const char* end) {
  constexpr long most_exponent = 1'000'000'000;
  if (at < end && *at == '-') ++at;
  long power = 0;
  bool is_found = false, is_after_point = false;
  for (; at < end && (is_digit(*at) || *at == '.'); ++at) {
    if (*at == '.') {
      is_after_point = true;
      continue;
    }
    is_found |= *at != '0';
    if (is_found && !is_after_point) ++power;
    if (!is_found && is_after_point) --power;
  }
  if (at == end) return power <= 0;
  ++at;  // skips the e of the exponent
  const bool is_negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) ++at;
  long exponent = 0;
  for (; at < end && is_digit(*at); ++at)
    exponent = std::min(most_exponent, 10 * exponent + (*at - '0'));
  return power + (is_negative ? -exponent : exponent) <= 0;
}

}  // namespace

std::optional<long> read_whole_number(std::string_view text) {
  long value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last && value >= 0 ? std::optional(value) : std::nullopt;
}

FoundNumber read_number_at(std::string_view text) {
  const char* begin = text.data();
  const char* last = begin + text.size();
  const char* at = begin;
  // std::from_chars accepts only a minus sign; "+-1" stays invalid.
  if (at < last && *at == '+' && at + 1 < last && at[1] != '-') ++at;
  FoundNumber found;
  found.end = begin;
  const auto [end, error] = std::from_chars(at, last, found.value);
  if (error == std::errc::invalid_argument) {
    found.value = 0;
    return found;
  }
  found.end = end;
  found.text = NumberText::number;
  if (error == std::errc::result_out_of_range) {
    found.value = 0;
    found.text = is_small(at, end) ? NumberText::underflow : NumberText::overflow;
  } else if (!std::isfinite(found.value)) {
    found.value = 0;
    found.text = NumberText::not_finite;
  }
  return found;
}

FoundNumber read_number(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {NumberText::none, 0, text.data()};
  const std::string_view rest = text.substr(first, text.find_last_not_of(blanks) - first + 1);
  const FoundNumber found = read_number_at(rest);
  if (found.end == rest.data() + rest.size()) return found;
  return {NumberText::none, 0, text.data()};
}

bool is_number(std::string_view text, double& value) {
  const FoundNumber found = read_number(text);
  value = found.value;
  return (found.text == NumberText::number || found.text == NumberText::underflow) &&
         std::isfinite(static_cast<real>(value));
}

std::string number_problem(double value, std::string_view cure) {
  if (!std::isfinite(value)) return fmt::format("{} is not a finite number; {}", value, cure);
  return fmt::format("{} is above {} in size; divide the values by a constant", value,
                     largest_real());
}

bool is_lost(const FoundNumber& found) {
  return found.text == NumberText::underflow ||
         (found.text == NumberText::number && found.value != 0 &&
          static_cast<real>(found.value) == 0);
}

}  // namespace trilemma
