#pragma once
// Sums over rows whose entries are all the same number, from the bits that say which columns a row
// has (SparseRows::Groups): every bit is looked at, many in one instruction.

#include "data/dataset.hpp"

namespace trilemma {

/// Room for a number by column: whole words of bits, all of which are looked at.
std::size_t bit_room(const SparseRows::Groups& groups);

/// out[i] = the sum of number[j] over all columns j of row rows[i], in 16 lanes by column. `number`
/// has bit_room() of them.
void bit_row_dots(const SparseRows::Groups& groups, Coordinates rows, ConstView number,
                  double* out);

/// sum[j] += number[i] for every column j of row rows[i], in the order of the rows. `sum` has
/// bit_room() numbers.
void add_bit_rows(const SparseRows::Groups& groups, Coordinates rows, ConstView number, View sum);

/// The same for the columns `at`, ascending, of `sum`, which has a number by column.
void add_bit_rows_at(const SparseRows::Groups& groups, Coordinates rows, ConstView number,
                     Coordinates at, View sum);

}  // namespace trilemma
