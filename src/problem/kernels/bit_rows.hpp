#pragma once
// Sums over rows whose entries are all the same number, computed from the bits that mark the
// columns of a row (SparseRows::Groups): every bit is tested, many with one instruction.

#include "data/dataset.hpp"

namespace trilemma {

/// Returns the length of an array with one number per column, rounded up to whole words of bits.
std::size_t bit_room(const SparseRows::Groups& groups);

/// Sets out[i] to the sum of number[j] over all columns j of row rows[i], added in 16 lanes by
/// column. `number` has bit_room() elements.
void bit_row_dots(const SparseRows::Groups& groups, Coordinates rows, ConstView number,
                  double* out);

/// Adds number[i] to sum[j] for every column j of row rows[i], in the order of the rows. `sum` has
/// bit_room() elements.
void add_bit_rows(const SparseRows::Groups& groups, Coordinates rows, ConstView number, View sum);

/// Adds the same numbers to the columns `at` (ascending) of `sum` only, which has one element per
/// column.
void add_bit_rows_at(const SparseRows::Groups& groups, Coordinates rows, ConstView number,
                     Coordinates at, View sum);

}  // namespace trilemma
