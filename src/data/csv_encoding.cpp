#include "data/csv_encoding.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/check.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

using LabelsSeen = std::map<std::string, std::pair<std::size_t, std::size_t>>;

std::string rarest(const CsvTable& table, std::size_t target, const LabelsSeen& seen) {
  const auto least = std::ranges::min_element(
      seen, {}, [](const LabelsSeen::value_type& label) { return label.second.first; });
  return fmt::format("the rarest is \"{}\", first in {}", shown(least->first, 20),
                     table.place(least->second.second, target));
}

}  // namespace

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

namespace {

// Returns whether the text begins with three numbers separated by '-', '/' or '.', as dates do.
bool is_date(std::string_view text) {
  int numbers = 0;
  std::size_t digits = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (c >= '0' && c <= '9') {
      ++digits;
      continue;
    }
    constexpr std::size_t most = 4;
    if (digits == 0 || digits > most) return false;
    digits = 0;
    if (++numbers == 3) return c == ' ' || c == 'T';
    if (c != '-' && c != '/' && c != '.') return false;
  }
  return false;
}

// Returns the first row with a word in a column of numbers; nullopt if there is none.
std::optional<std::size_t> row_with_word(const CsvTable& table, std::size_t column) {
  double ignored = 0;
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (!table.is_missing(r, column) && !table.is_number_elsewhere(r, column) &&
        !table.is_number_at(r, column, ignored))
      return r;
  return {};
}

// Columns with a cell that is not a number.
struct TextColumns {
  std::vector<std::string> cells;        ///< of each, the column, line and text of the first
  std::vector<std::string> text, mixed;  ///< names of columns without and with some numbers
  bool has_date = false;
};

bool has_number(const CsvTable& table, std::size_t column) {
  double ignored = 0;
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (!table.is_missing(r, column) && table.is_number_at(r, column, ignored)) return true;
  return false;
}

TextColumns text_columns(const CsvTable& table, const std::vector<CsvFeature>& features) {
  TextColumns found;
  for (const auto& feature : features) {
    if (!feature.words.empty()) continue;
    const auto row = row_with_word(table, feature.column);
    if (!row) continue;
    constexpr std::size_t longest = 20;
    const std::string& text = table.text(*row, feature.column);
    const bool is_of_dates = is_date(text);
    found.has_date |= is_of_dates;
    const std::string& name = table.header[feature.column];
    (has_number(table, feature.column) ? found.mixed : found.text).push_back(name);
    found.cells.push_back(fmt::format("\"{}\" (line {}: \"{}\"{})", shown(name), table.line[*row],
                                      shown(text, longest), is_of_dates ? ", a date" : ""));
  }
  return found;
}

std::string quoted(std::vector<std::string> names, const std::vector<std::string>& more = {}) {
  names.insert(names.end(), more.begin(), more.end());
  for (std::string& name : names) name = fmt::format("\"{}\"", shown(name));
  return join(names);
}

// Refuses several columns with text, or one with dates, in one sentence.
void refuse_text(const CsvTable& table, const std::vector<CsvFeature>& features,
                 const CsvSettings& settings) {
  const TextColumns found = text_columns(table, features);
  if (found.cells.size() < 2 && !found.has_date) return;
  const std::string correction =
      found.mixed.empty() ? "" : fmt::format("; correct the cells of {}", quoted(found.mixed));
  std::vector<std::string> remedies;
  if (!found.text.empty() && settings.columns.empty())
    remedies.push_back(fmt::format("set data.drop = [{}]", quoted(settings.drop, found.text)));
  if (!found.text.empty() && !settings.columns.empty())
    remedies.push_back(fmt::format("take {} out of data.columns", quoted(found.text)));
  if (!found.text.empty()) remedies.emplace_back("name columns of words in data.one_hot");
  if (found.has_date) remedies.emplace_back("convert dates to numbers, such as days");
  throw UserError(fmt::format("{}: not numbers: {}{}{}{}", table.file, join(found.cells),
                              correction, remedies.empty() ? "" : "; ", join(remedies, ", or ")));
}

}  // namespace

void append_features(const CsvTable& table, std::size_t row,
                     const std::vector<CsvFeature>& features, const CsvSettings& settings,
                     Vector& out) {
  const bool may_miss = settings.missing == MissingValues::mean;
  for (const auto& feature : features) {
    const std::size_t first = out.size();
    const std::size_t c = feature.column;
    if (may_miss && table.is_missing(row, c)) {
      out.resize(first + feature.width(), std::numeric_limits<real>::quiet_NaN());
    } else if (feature.words.empty()) {
      double value = 0;
      if (!table.is_number_at(row, c, value)) {
        refuse_text(table, features, settings);
        value = table.number(row, c);
      }
      out.push_back(static_cast<real>(value));
    } else {
      table.require_value(row, c);
      out.resize(first + feature.width(), real{0});
      out[first + static_cast<std::size_t>(number_of(table, row, c, feature.words))] = 1;
    }
  }
}

Numbering number_labels(const CsvTable& table, std::size_t target, int classes) {
  std::set<std::string> found;
  LabelsSeen seen;  // count and first occurrence
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::string& label = table.text(r, target);
    found.insert(label);
    ++seen.try_emplace(label, 0, r).first->second.first;
  }
  require(found.size() != 1,
          "{}: \"{}\" is the only label in column \"{}\"; choose another data.target", table.file,
          shown(*found.begin(), 20), shown(table.header[target]));
  if (found.size() == static_cast<std::size_t>(classes)) return number_words(found);
  const bool too_many = found.size() > static_cast<std::size_t>(classes);
  throw UserError(fmt::format(
      "{}: {} different labels in column \"{}\" ({}), but data.classes = {}; {}set data.classes = {}, "
      "or 0 where they are real targets",
      table.file, found.size(), shown(table.header[target]),
      shown(join({found.begin(), found.end()})), classes,
      too_many ? fmt::format("fix what is mistyped ({}), or ", rarest(table, target, seen)) : "",
      found.size()));
}

Numbering number_users(const CsvTable& table, std::size_t user) {
  Numbering number;
  for (std::size_t r = 0; r < table.rows(); ++r)
    number.emplace(table.text(r, user), static_cast<std::int32_t>(number.size()));
  return number;
}

}  // namespace trilemma
