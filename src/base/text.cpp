#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trilemma {
namespace {

// Returns the length in bytes of the UTF-8 sequence at the start, or 0 if there is none; sets
// `character`.
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

// Returns whether c separates lines or changes the direction of writing.
bool moves_text(std::uint32_t c) {
  return c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string counted(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
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

std::string rounded_down(double value) {
  if (!(value > 0) || std::isinf(value)) return fmt::format("{:g}", value);
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 5);
  return fmt::format("{:.6g}", std::floor(value / unit * (1 + 1e-12)) * unit);
}

}  // namespace trilemma
