#pragma once
// Conversion of the cells of a table to numbers.

#include <map>
#include <set>

#include "data/csv.hpp"
#include "data/csv_settings.hpp"

namespace trilemma {

/// Maps words to the numbers 0, 1, ...
using Numbering = std::map<std::string, std::int32_t>;

/// Numbers words in ascending order: as numbers if all are numbers, otherwise as texts.
Numbering number_words(const std::set<std::string>& words);

/// Returns whether the words are "0", "1", ... and map to those numbers.
bool are_numbers_of_classes(const Numbering& numbers);

/// Returns the words in the order of their numbers, shortened for messages.
std::string words_of(const Numbering& numbers);

/// Returns the number of the word in a cell. Refuses a word that does not occur in training.
std::int32_t number_of(const CsvTable& table, std::size_t row, std::size_t column,
                       const Numbering& known);

/// A numeric column that is one feature, or a column of words with one feature per word: 1 where
/// the cell holds the word, otherwise 0.
struct CsvFeature {
  std::size_t column;
  Numbering words;  ///< words of the training file; empty: cells are numbers

  std::size_t width() const { return words.empty() ? 1 : words.size(); }
};

/// Returns one feature for each word of the column. Refuses a column without words.
CsvFeature one_hot(const CsvTable& table, std::size_t column);

/// Appends the features of a record. A missing value becomes NaN if data.missing = "mean";
/// otherwise it is refused, as is text in a column of numbers.
void append_features(const CsvTable& table, std::size_t row,
                     const std::vector<CsvFeature>& features, const CsvSettings& settings,
                     Vector& out);

/// Returns the class of every label in column `target`. Throws UserError if there is only one
/// label, or if the number of different labels is not `classes`.
Numbering number_labels(const CsvTable& table, std::size_t target, int classes);

/// Returns the number of every user in column `user`, in order of first occurrence.
Numbering number_users(const CsvTable& table, std::size_t user);

}  // namespace trilemma
