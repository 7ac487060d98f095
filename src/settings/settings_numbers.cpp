// Settings that are numbers.

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "settings/settings.hpp"
#include "settings/settings_document.hpp"

namespace trilemma {
namespace {

std::string word_as_toml(std::string_view text) {
  return as_toml(toml::value<std::string>(std::string(text)));
}

std::string number_text(double value) { return as_toml(toml::value<double>(value)); }

std::string number_text(long value) { return std::to_string(value); }

// A single number is written without brackets.
template <class Number>
std::string numbers_text(const std::vector<Number>& values) {
  if (values.size() == 1) return number_text(values[0]);
  std::vector<std::string> words;
  for (const Number value : values) words.push_back(number_text(value));
  return fmt::format("[{}]", join(words));
}

// Returns the end of a sentence on the allowed values of a key that also takes `word`.
std::string or_word(const std::string& word) {
  return word.empty() ? "" : fmt::format(" or \"{}\"", word);
}

// Returns whether computations round `value` to 0 or its inverse is infinite.
bool is_vanishing(double value) {
  return value != 0 && std::isfinite(value) && !std::isnormal(value);
}
constexpr const char* vanishing =
    "too close to 0 for precise arithmetic, which begins at 2.3e-308; choose 0 or a larger number";

// Returns the problem of a whole number that does not fit into 63 bits, which is a text if it comes
// from the command line and a float if it comes from a calculation. Empty for other values.
std::string beyond_integers(const toml::node& node, const Range& range) {
  if (!std::isinf(range.high)) return "";  // the refusal then names the range
  const auto* text = node.as_string();
  const bool is_long = text != nullptr && text->get().size() >= 19 &&
                       text->get().find_first_not_of(
                           "0123456789_", text->get().front() == '+' ? 1 : 0) == std::string::npos;
  const auto* number = node.as_floating_point();
  const bool is_large = number != nullptr && std::isfinite(number->get()) &&
                        std::fabs(number->get()) > 9007199254740992.0;
  return is_long || is_large ? "too large; the largest whole number is 2^63 - 1 = "
                               "9223372036854775807, written without a point or an exponent"
                             : "";
}

}  // namespace

double Settings::number_like(std::string_view key, double value, SettingRecord like) {
  const auto* node = document_->find(full(key));
  double result = value;
  if (node != nullptr) {
    const std::string wanted = "expected " + like.range.text() + or_word(like.word);
    const auto found = node->value<double>();
    if (!node->is_number() || !found) refuse(key, wanted);
    result = *found;
    if (!like.range.contains(result) || !std::isfinite(result)) refuse(key, wanted);
    if (is_vanishing(result)) refuse(key, vanishing);
  }
  like.value = number_text(result);
  record(key, std::move(like));
  return result;
}

double Settings::number(std::string_view key, double value, const Range& range,
                        std::string_view help) {
  return number_like(key, value,
                     {.default_value = number_text(value),
                      .help = std::string(help),
                      .type = SettingType::number,
                      .range = range});
}

long Settings::integer_like(std::string_view key, long value, SettingRecord like) {
  const auto* node = document_->find(full(key));
  long result = value;
  if (node != nullptr) {
    const std::string wanted = "expected " + like.range.text("a whole number") + or_word(like.word);
    if (const std::string whole = whole_text(*node); !whole.empty())
      refuse(key, "expected a whole number; write " + whole);
    if (const std::string problem = beyond_integers(*node, like.range); !problem.empty())
      refuse(key, problem);
    if (!node->is_integer()) refuse(key, wanted);
    result = static_cast<long>(*node->value<std::int64_t>());
    if (!like.range.contains(static_cast<double>(result))) refuse(key, wanted);
  }
  like.value = std::to_string(result);
  record(key, std::move(like));
  return result;
}

long Settings::integer(std::string_view key, long value, const Range& range,
                       std::string_view help) {
  return integer_like(key, value,
                      {.default_value = std::to_string(value),
                       .help = std::string(help),
                       .type = SettingType::whole_number,
                       .range = range});
}

std::vector<long> Settings::integers(std::string_view key, const std::vector<long>& value,
                                     const Range& range, std::string_view help) {
  const auto* node = document_->find(full(key));
  std::vector<long> result = value;
  if (node != nullptr) {
    const auto found = whole_numbers(*node);
    const auto fits = [&](long number) { return range.contains(static_cast<double>(number)); };
    if (!found || !std::all_of(found->begin(), found->end(), fits))
      refuse(key,
             fmt::format("expected whole numbers, such as 64, [128, 64] or \"128-64\", each {}",
                         range.text()));
    result = *found;
  }
  record(key, {.value = numbers_text(result),
               .default_value = numbers_text(value),
               .help = std::string(help),
               .type = SettingType::whole_numbers,
               .range = range});
  return result;
}

std::vector<double> Settings::numbers(std::string_view key, const std::vector<double>& value,
                                      const Range& range, std::string_view help) {
  const auto* node = document_->find(full(key));
  std::vector<double> result = value;
  if (node != nullptr) {
    const auto found = real_numbers(*node);
    const auto fits = [&](double number) {
      return range.contains(number) && std::isfinite(number) && !is_vanishing(number);
    };
    if (!found || !std::all_of(found->begin(), found->end(), fits))
      refuse(key,
             fmt::format("expected numbers, such as 0.5 or [0.5, 0.25], each {}", range.text()));
    result = *found;
  }
  record(key, {.value = numbers_text(result),
               .default_value = numbers_text(value),
               .help = std::string(help),
               .type = SettingType::numbers,
               .range = range});
  return result;
}

std::optional<double> Settings::number_or(std::string_view key, std::string_view word,
                                          const Range& range, std::string_view help) {
  SettingRecord like{.value = word_as_toml(word),
                     .default_value = word_as_toml(word),
                     .help = std::string(help),
                     .type = SettingType::number,
                     .range = range,
                     .word = std::string(word)};
  if (left_to(key, like)) return std::nullopt;
  const auto* node = document_->find(full(key));
  const auto found = node->is_number() ? node->value<double>() : std::nullopt;
  if (!found || !range.contains(*found) || !std::isfinite(*found))
    refuse(key, fmt::format("expected {} or \"{}\"", range.text(), word));
  if (is_vanishing(*found)) refuse(key, vanishing);
  like.value = number_text(*found);
  record(key, std::move(like));
  return found;
}

std::optional<double> Settings::number_or(std::string_view key, double value, std::string_view word,
                                          const Range& range, std::string_view help) {
  SettingRecord like{.value = word_as_toml(word),
                     .default_value = number_text(value),
                     .help = std::string(help),
                     .type = SettingType::number,
                     .range = range,
                     .word = std::string(word)};
  if (!says(key, word)) return number_like(key, value, std::move(like));
  record(key, std::move(like));
  return std::nullopt;
}

std::optional<long> Settings::integer_or(std::string_view key, long value, std::string_view word,
                                         const Range& range, std::string_view help) {
  SettingRecord like{.value = word_as_toml(word),
                     .default_value = std::to_string(value),
                     .help = std::string(help),
                     .type = SettingType::whole_number,
                     .range = range,
                     .word = std::string(word)};
  if (!says(key, word)) return integer_like(key, value, std::move(like));
  record(key, std::move(like));
  return std::nullopt;
}

std::optional<long> Settings::integer_or(std::string_view key, std::string_view word,
                                         const Range& range, std::string_view help) {
  SettingRecord like{.value = word_as_toml(word),
                     .default_value = word_as_toml(word),
                     .help = std::string(help),
                     .type = SettingType::whole_number,
                     .range = range,
                     .word = std::string(word)};
  if (left_to(key, like)) return std::nullopt;
  const auto* node = document_->find(full(key));
  if (const std::string problem = beyond_integers(*node, range); !problem.empty())
    refuse(key, problem);
  const auto found = node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
  if (!found || !range.contains(static_cast<double>(*found)))
    refuse(key, fmt::format("expected {} or \"{}\"", range.text("a whole number"), word));
  like.value = std::to_string(*found);
  record(key, std::move(like));
  return static_cast<long>(*found);
}

std::optional<double> Settings::optional_number(std::string_view key, const Range& range,
                                                std::string_view help) {
  SettingRecord like{.help = std::string(help), .type = SettingType::number, .range = range};
  if (!has(key)) {
    record(key, std::move(like));
    return std::nullopt;
  }
  const auto* node = document_->find(full(key));
  const auto found = node->is_number() ? node->value<double>() : std::nullopt;
  if (!found || !range.contains(*found) || !std::isfinite(*found))
    refuse(key, "expected " + range.text());
  if (is_vanishing(*found)) refuse(key, vanishing);
  like.value = number_text(*found);
  record(key, std::move(like));
  return found;
}

}  // namespace trilemma
