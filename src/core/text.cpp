#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trilemma {

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

std::string shown(std::string_view text, std::size_t most) {
  constexpr char del = 0x7F;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  std::size_t size = std::min(text.size(), most);
  if (size < text.size())
    while (size > 0 && continues(text[size])) --size;
  std::string result(text.substr(0, size));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ' || c == del) c = '?';
  return size < text.size() ? result + "..." : result;
}

std::string rounded_up(double value) {
  if (!(value > 0) || std::isinf(value)) return fmt::format("{:g}", value);
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 5);
  return fmt::format("{:.6g}", std::ceil(value / unit * (1 - 1e-12)) * unit);
}

}  // namespace trilemma
