#pragma once
// Labelled records in memory: sparse rows (CSR) or dense rows (bytes with an affine scale, or
// reals).

#include <string>
#include <variant>

#include "base/types.hpp"

namespace trilemma {

/// Compressed sparse rows.
struct SparseRows {
  std::size_t columns = 0;
  std::vector<std::size_t> start{0};  ///< rows + 1 offsets
  std::vector<std::uint32_t> column;  ///< 0-based, ascending in a row
  Vector value;

  /// In place of the three, which are empty then, where all values are the same number, as of words
  /// or answers: the columns alone, each row filled up with `columns` to whole groups. Fourteen
  /// entries take 32 bytes in place of 112, a line of cache or two.
  struct Groups {
    static constexpr std::size_t size = 4;
    std::vector<std::uint32_t> start;   ///< rows + 1 offsets, in groups; empty = no groups
    std::vector<std::uint16_t> column;  ///< ascending in a row
    real value = 0;
    /// Besides, where rows are full enough for it to pay, a bit by column: bit j % 64 of word j /
    /// 64 of a row's `words`, an even number, says that the row has column j.
    std::vector<std::uint64_t> bits;
    std::size_t words = 0;
    void fill_bits(std::size_t columns);
    /// The columns of a row, whole groups.
    std::span<const std::uint16_t> row(std::size_t r) const {
      return std::span(column).subspan(size * start[r], size * (start[r + 1] - start[r]));
    }
  } groups;

  bool are_grouped() const { return !groups.start.empty(); }
  std::size_t rows() const { return (are_grouped() ? groups.start.size() : start.size()) - 1; }
  /// Calls visit(column, value) for every entry of a row, in their order.
  template <class Visit>
  void each(std::size_t row, Visit&& visit) const {
    if (!are_grouped()) {
      for (std::size_t e = start[row]; e < start[row + 1]; ++e) visit(column[e], value[e]);
      return;
    }
    for (const auto j : groups.row(row))
      if (j < columns) visit(std::uint32_t{j}, groups.value);
  }
  /// Of rows that are not grouped.
  void append_row(const SparseRows& from, std::size_t row);
  /// Turns the entries into groups if all values are the same.
  void group_columns();
};

/// Dense rows. Images stay bytes: a quarter of the memory traffic of floats, and the value used is
/// `scale * byte + shift`, the same for every reader of the row.
struct DenseRows {
  std::size_t columns = 0;
  std::vector<std::uint8_t> byte;  ///< rows x columns, or empty
  Vector value;                    ///< rows x columns, or empty
  double scale = 1.0 / 255.0;      ///< for bytes
  double shift = 0.0;              ///< for bytes
  /// Of the bytes or reals of all records, those without a row included, where they were counted.
  struct Census {
    std::uint64_t count = 0, sum = 0, squares = 0;
    double value_sum = 0, value_squares = 0;  ///< of reals
    void take_in(std::span<const std::uint8_t> bytes);
    void take_in(ConstView values);
  } census;

  /// Where most bytes are 0: the others, row by row, so that sums over a row can skip the zeros.
  struct NonZeros {
    std::vector<std::size_t> start;     ///< rows + 1 offsets; empty = no index
    std::vector<std::uint16_t> column;  ///< ascending in a row
    std::vector<std::uint8_t> byte;
  } nonzeros;

  std::size_t rows() const { return columns == 0 ? 0 : (byte.size() + value.size()) / columns; }
  /// Builds `nonzeros` if at most 40 % of the bytes are not 0; above that matrix products are
  /// faster.
  void index_nonzeros();
  /// Writes the chosen rows one after the other as reals into out (rows.size() x columns).
  void gather(Coordinates rows, View out) const;
};

/// Records with their labels 0 .. classes - 1, but -1 and +1 for two classes in sparse rows; 0
/// classes: records have real targets, and every label is 0.
struct Dataset {
  std::variant<SparseRows, DenseRows> rows;
  std::vector<std::int32_t> label;
  int classes = 2;
  Vector target;                    ///< by record, where there are no classes
  double target_scale = 1;          ///< errors of targets times this are in the units of the source
  std::vector<std::uint32_t> user;  ///< by record: who it belongs to, 0 .. users - 1; may be empty
  std::vector<double> row_norm;     ///< Euclidean norms of the rows, once prepare() was called
  bool has_finite_norms = false;    ///< all of row_norm are, so that no caller need look
  static constexpr std::uint32_t no_row = ~std::uint32_t{0};
  /// By record: its row or no_row, where only some records have one; empty = all have, in their
  /// order.
  std::vector<std::uint32_t> row;

  /// Computes row_norm, groups columns and indexes the non-zero bytes: what training on a shard
  /// needs.
  void prepare();

  std::size_t size() const { return label.size(); }
  /// Asks for what is known of a record beside its row before it is used.
  void prefetch_facts(std::size_t record) const {
    __builtin_prefetch(label.data() + record);
    if (!row_norm.empty()) __builtin_prefetch(row_norm.data() + record);
  }
  bool has_row(std::size_t record) const { return row.empty() || row[record] != no_row; }
  /// Records that have rows.
  std::size_t kept() const;
  std::size_t features() const;
  /// The chosen records, which have rows, as a data set of their own, in the given order.
  Dataset select(Coordinates chosen) const;
  /// Only the chosen records have rows, which follow one another in the order of the records.
  void keep(const std::vector<bool>& chosen);
  /// Sparse rows become dense ones, with labels 0 and 1 in place of -1 and +1.
  void make_dense();
  /// Keeps the first `count` records.
  void truncate(std::size_t count);
};

/// Which records get rows: true by record; empty = all.
struct KeptRecords {
  std::vector<bool> train, test;
};

/// What a source delivers.
struct TrainTest {
  Dataset train;
  Dataset test;             ///< may be empty
  std::size_t numbers = 0;  ///< features that are quantities, the first ones, where others are not
  std::vector<std::string> names;  ///< of the features that are quantities, where they have any
  std::string scaling = {};        ///< what was done to the records, in words; empty: nothing
  std::string remark;              ///< what is odd about the files; may be empty
  /// Which labels became other numbers by what all records say, in words; empty = none.
  std::string renumbered;
  std::vector<std::string> notes;  ///< how the files were read, where that could surprise
};

}  // namespace trilemma
