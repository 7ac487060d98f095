#pragma once
// Numbering of the labels and users of a CSV table.

#include "data/csv.hpp"
#include "data/csv_encoding.hpp"

namespace trilemma {

/// Returns the class of every label in column `target`. Throws UserError if there is only one
/// label, or if the number of different labels is not `classes`.
Numbering number_labels(const CsvTable& table, std::size_t target, int classes);

/// Returns the number of every user in column `user`, in order of first occurrence.
Numbering number_users(const CsvTable& table, std::size_t user);

}  // namespace trilemma
