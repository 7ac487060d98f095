#pragma once
// How the cells of a table become numbers.

#include <map>
#include <set>

#include "data/csv.hpp"

namespace trilemma {

/// Words as numbers 0, 1, ...
using Numbering = std::map<std::string, std::int32_t>;

/// In ascending order: as numbers where all are, else as texts.
Numbering number_words(const std::set<std::string>& words);

/// Returns whether the words are "0", "1", ... and the numbers theirs.
bool are_numbers_of_classes(const Numbering& numbers);

/// Returns the words in the order of their numbers, shortened for messages.
std::string words_of(const Numbering& numbers);

/// Number of the word in a cell; refuses one that training did not have.
std::int32_t number_of(const CsvTable& table, std::size_t row, std::size_t column,
                       const Numbering& known);

/// A column that is a feature, or one feature for each of its words: 1 where the cell has it, else
/// 0.
struct CsvFeature {
  std::size_t column;
  Numbering words;  ///< of training; empty: cells are numbers

  std::size_t width() const { return words.empty() ? 1 : words.size(); }
};

/// A feature for each word of the column. Refuses a column without any.
CsvFeature one_hot(const CsvTable& table, std::size_t column);

/// Appends the features of a record. What is missing is NaN where it `may_miss`, else refused.
void append_features(const CsvTable& table, std::size_t row,
                     const std::vector<CsvFeature>& features, bool may_miss, Vector& out);

}  // namespace trilemma
