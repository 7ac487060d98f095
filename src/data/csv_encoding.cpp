#include "data/csv_encoding.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace trilemma {

Numbering number_words(const std::set<std::string>& words) {
  std::vector<std::pair<double, std::string>> sorted;
  bool numeric = true;
  for (const auto& word : words) {
    double value = 0;
    numeric = is_number(word, value) && numeric;
    sorted.emplace_back(value, word);
  }
  if (numeric) std::sort(sorted.begin(), sorted.end());
  Numbering number;
  for (const auto& [value, word] : sorted)
    number.emplace(word, static_cast<std::int32_t>(number.size()));
  return number;
}

bool are_numbers_of_classes(const Numbering& numbers) {
  return std::ranges::all_of(
      numbers, [](const auto& entry) { return entry.first == std::to_string(entry.second); });
}

std::string words_of(const Numbering& numbers) {
  std::vector<std::string> words(numbers.size());
  for (const auto& [word, number] : numbers) words[static_cast<std::size_t>(number)] = word;
  return shown(join(words));
}

std::int32_t number_of(const CsvTable& table, std::size_t row, std::size_t column,
                       const Numbering& known) {
  const auto at = known.find(table.text(row, column));
  if (at == known.end())
    throw UserError(fmt::format("{}: \"{}\" is in no training record; remove the line",
                                table.place(row, column), shown(table.text(row, column))));
  return at->second;
}

CsvFeature one_hot(const CsvTable& table, std::size_t column) {
  std::set<std::string> words;
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (!table.is_missing(r, column)) words.insert(table.text(r, column));
  require(!words.empty(), "{}: no word in column \"{}\"; leave it out with data.drop", table.file,
          shown(table.header[column]));
  return {column, number_words(words)};
}

void append_features(const CsvTable& table, std::size_t row,
                     const std::vector<CsvFeature>& features, bool may_miss, Vector& out) {
  for (const auto& feature : features) {
    const std::size_t first = out.size();
    const std::size_t c = feature.column;
    if (may_miss && table.is_missing(row, c)) {
      out.resize(first + feature.width(), std::numeric_limits<real>::quiet_NaN());
    } else if (feature.words.empty()) {
      out.push_back(static_cast<real>(table.number(row, c)));
    } else {
      table.require_value(row, c);
      out.resize(first + feature.width(), real{0});
      out[first + static_cast<std::size_t>(number_of(table, row, c, feature.words))] = 1;
    }
  }
}

}  // namespace trilemma
