#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace trilemma {
namespace {

// Bytes of the UTF-8 sequence that begins here, 0 where none does; its character.
std::size_t sequence(std::string_view text, std::uint32_t& character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  character = byte(0);
  if (character < 0x80) return 1;
  const std::size_t length = character >= 0xF0 ? 4 : character >= 0xE0 ? 3 : 2;
  if (character < 0xC2 || character > 0xF4 || text.size() < length) return 0;
  character &= 0x7FU >> length;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    character = character << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = character >= 0xD800 && character <= 0xDFFF;
  return character < least[length] || character > 0x10FFFF || is_surrogate ? 0 : length;
}

bool is_control(std::uint32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

// Separators of lines, and what turns the direction of writing.
bool moves_text(std::uint32_t c) {
  return c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, replace});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // No word that somebody has misspelt; the work grows with the length.
  constexpr std::size_t longest = 200;
  if (word.size() > longest) return {};
  // A key without its table: the table is what is missing.
  if (word.find('.') == std::string_view::npos)
    for (const auto& candidate : candidates)
      if (candidate.size() > word.size() && candidate.ends_with(word) &&
          candidate[candidate.size() - word.size() - 1] == '.')
        return candidate;
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2);
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance || (distance == best_distance && best.empty())) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::uint32_t character = 0;
    const std::size_t length = sequence(text, character);
    if (character == '\n')
      out += "\\n";
    else if (character == '\t')
      out += "\\t";
    else if (length < 2 && (length == 0 || is_control(character)))
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (is_control(character) || moves_text(character))
      out += fmt::format("\\u{:04x}", character);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string shown(std::string_view text, std::size_t most) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  std::size_t size = std::min(text.size(), most);
  if (size < text.size())
    while (size > 0 && continues(text[size])) --size;
  return printable(text.substr(0, size)) + (size < text.size() ? "..." : "");
}

std::string name_problem(std::string_view name) {
  constexpr std::size_t longest = 150;
  if (name.empty()) return "it is empty";
  if (name.find('/') != std::string_view::npos) return "it has a slash";
  if (name[0] == '.') return "it begins with a dot";
  if (name.size() > longest) return fmt::format("it is longer than {} bytes", longest);
  if (printable(name) != name) return "it has a control character";
  return {};
}

std::string rounded_up(double value) {
  if (!(value > 0) || std::isinf(value)) return fmt::format("{:g}", value);
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 5);
  return fmt::format("{:.6g}", std::ceil(value / unit * (1 - 1e-12)) * unit);
}

std::string with_prefix(double value, std::string_view unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  // What would be shown as 1000 of a unit is 1 of the next.
  while (std::abs(value) >= 999.95 && prefix + 1 < std::size(prefixes)) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{:.4g} {}{}", value, prefixes[prefix], unit);
}

std::optional<double> bits_in(std::string_view size) {
  double number = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
  if (error != std::errc() || !(number > 0) || !std::isfinite(number)) return {};
  std::string_view unit(end, static_cast<std::size_t>(size.data() + size.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const bool is_bits = unit.ends_with("bit");
  if (!is_bits && !unit.ends_with('B')) return {};
  unit.remove_suffix(is_bits ? 3 : 1);
  constexpr std::pair<std::string_view, double> prefixes[] = {
      {"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},    {"T", 1e12},
      {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}};
  for (const auto& [prefix, factor] : prefixes)
    if (unit == prefix) return number * factor * (is_bits ? 1 : 8);
  return {};
}

}  // namespace trilemma
