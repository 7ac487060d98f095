// Suggestions for misspelt words.

#include <algorithm>
#include <cctype>
#include <numeric>

#include "base/text.hpp"

namespace trilemma {
namespace {

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(ends.first - a.begin());
}

std::string in_small_letters(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Returns the candidates that begin with `word`, the shortest first.
std::vector<std::string> all_longer(std::string_view word,
                                    const std::vector<std::string>& candidates) {
  std::vector<std::string> found;
  for (const auto& candidate : candidates)
    if (!word.empty() && candidate.starts_with(word)) found.push_back(candidate);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return found;
}

// Returns the table of a dotted key, including the dot, if a candidate is in it, since then only
// the key's own name is misspelt; otherwise an empty text.
std::string_view known_table(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string_view table = word.substr(0, word.rfind('.') + 1);
  const auto in_table = [&](const std::string& candidate) { return candidate.starts_with(table); };
  return std::ranges::any_of(candidates, in_table) ? table : std::string_view();
}

// Returns all candidates at the smallest distance to `word`, in their order; empty if none is near.
std::vector<std::string> nearest_of(std::string_view word,
                                    const std::vector<std::string>& candidates) {
  // Longer texts are not misspelt words, and the work grows with the length.
  constexpr std::size_t longest = 200;
  if (word.size() > longest) return {};
  std::vector<std::string> best;
  // A key without a table: the user has omitted the table.
  if (word.find('.') == std::string_view::npos)
    for (const auto& candidate : candidates)
      if (candidate.size() > word.size() && candidate.ends_with(word) &&
          candidate[candidate.size() - word.size() - 1] == '.')
        best.push_back(candidate);
  if (!best.empty()) return best;
  const std::string_view table = known_table(word, candidates);
  std::size_t best_distance = std::max<std::size_t>(2, (word.size() - table.size()) / 2);
  std::size_t best_prefix = 0;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const std::size_t prefix = common_prefix(word, candidate);
    if (distance > best_distance || !candidate.starts_with(table)) continue;
    const bool is_better = distance < best_distance || prefix > best_prefix;
    if (!is_better && prefix < best_prefix) continue;
    if (is_better) best.clear();
    best_distance = distance;
    best_prefix = prefix;
    best.push_back(candidate);
  }
  // A word that is more than one letter away is more likely truncated than misspelt.
  if (best_distance > 1)
    if (auto longer = all_longer(word, candidates); !longer.empty()) return longer;
  return best;
}

// Returns the same, ignoring case.
std::vector<std::string> all_nearest(std::string_view word,
                                     const std::vector<std::string>& candidates) {
  std::vector<std::string> small;
  for (const auto& candidate : candidates) small.push_back(in_small_letters(candidate));
  auto found = nearest_of(in_small_letters(word), small);
  for (auto& one : found)
    one = candidates[static_cast<std::size_t>(std::ranges::find(small, one) - small.begin())];
  return found;
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
  const auto found = all_nearest(word, candidates);
  return found.empty() ? std::string() : found.front();
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise) {
  constexpr std::size_t most = 3;
  auto found = all_nearest(word, candidates);
  if (found.empty()) return otherwise;
  found.resize(std::min(found.size(), most));
  std::string text = "did you mean \"" + found[0] + "\"";
  for (std::size_t i = 1; i < found.size(); ++i)
    text += (i + 1 == found.size() ? " or \"" : ", \"") + found[i] + "\"";
  return text + "?";
}

}  // namespace trilemma
