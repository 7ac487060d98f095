#include "claim/difference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"

namespace trilemma {
namespace {

constexpr std::size_t most_said = 4;

struct Names {
  const char* name;
  /// Descriptions of the recorded value, the expected value and the other place.
  const char* sentence;
};
constexpr std::array<Names, 15> names{{
    {"configuration", ", but {1} follows from the configuration"},
    {"above", ", but is at most {1}"},
    {"below", ", but is at least {1}"},
    {"elsewhere", ", but {2} says {1}"},
    {"falls", " after {1}, but it never decreases in a run"},
    {"odd", ", which no run records"},
    {"missing", " is not in the file"},
    {"unexpected", " is in the file, but the configuration withholds it"},
    {"unfinished", "the file calls itself complete with {0} of {1} rounds"},
    {"exceeded", "epsilon {1} was promised, {0} is spent"},
    {"changed", "the file has changed since it was written"},
    {"unsummed", "the file calls itself complete, but has no checksum of its content"},
    {"rerun", ", but the run gives {1} when it is repeated"},
    {"unknown", " is unknown to this program"},
    {"refused", " is not accepted by this program"},
}};

const Names& names_of(Mismatch mismatch) { return names[static_cast<std::size_t>(mismatch)]; }

std::string text_of(const Difference::Value& value, const char* format) {
  constexpr double all_whole = 9007199254740992;  // 2^53: a double represents all below it
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return "\"" + std::get<std::string>(value) + "\"";
  if (std::abs(*number) < all_whole && *number == std::trunc(*number))
    return fmt::format("{:.0f}", *number);
  return fmt::format(fmt::runtime(format), *number);
}

bool is_whole_sentence(Mismatch kind) {
  return kind == Mismatch::unfinished || kind == Mismatch::exceeded || kind == Mismatch::changed ||
         kind == Mismatch::unsummed;
}

bool has_no_values(Mismatch kind) {
  return kind == Mismatch::missing || kind == Mismatch::unexpected || kind == Mismatch::unknown ||
         kind == Mismatch::refused;
}

}  // namespace

Difference::Value difference_value(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1.0 : 0.0;
  return join(std::get<std::vector<std::string>>(value), "; ");
}

const char* name(Mismatch mismatch) { return names_of(mismatch).name; }

std::string in_words(const Difference& difference) {
  constexpr const char* brief = "{:.6g}";
  const bool is_close = text_of(difference.recorded, brief) == text_of(difference.expected, brief);
  const char* format = is_close ? "{}" : brief;
  const std::string recorded = text_of(difference.recorded, format);
  const std::string rest = fmt::format(fmt::runtime(names_of(difference.kind).sentence), recorded,
                                       text_of(difference.expected, format), difference.place);
  if (is_whole_sentence(difference.kind)) return rest;
  const std::string row = difference.row ? fmt::format(" in row {}", *difference.row) : "";
  if (has_no_values(difference.kind)) return difference.field + rest;
  return fmt::format("{} is recorded as {}{}{}", difference.field, recorded, row, rest);
}

std::string in_words(const std::vector<Difference>& differences) {
  std::vector<std::string> said;
  for (const auto& difference : differences)
    if (said.size() < most_said) said.push_back(in_words(difference));
  const std::size_t more = differences.size() - said.size();
  return join(said, "; ") + (more > 0 ? fmt::format("; and {} more", more) : "");
}

bool same_number(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

}  // namespace trilemma
