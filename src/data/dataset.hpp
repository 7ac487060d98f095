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

  /// Replaces `start`, `column` and `value`, which are then empty, if all values are the same
  /// number, as for words or answers: the columns alone, each row padded with `columns` to whole
  /// groups. Fourteen entries take 32 bytes instead of 112, one cache line instead of two.
  struct Groups {
    static constexpr std::size_t size = 4;
    std::vector<std::uint32_t> start;   ///< rows + 1 offsets, in groups; empty = no groups
    std::vector<std::uint16_t> column;  ///< ascending in a row
    real value = 0;
    /// If rows are dense enough for it to pay off, additionally one bit per column: bit j % 64 of
    /// word j / 64 of a row's `words` words (an even number) is set if the row has column j.
    std::vector<std::uint64_t> bits;
    std::size_t words = 0;
    /// Sets `bits` and `words` if rows are dense enough.
    void fill_bits(std::size_t columns);
    /// Returns the columns of a row, whole groups.
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
  /// Appends a row of `from`. Requires that neither is grouped.
  void append_row(const SparseRows& from, std::size_t row);
  /// Converts the entries to groups if all values are the same.
  void group_columns();
};

/// Dense rows. Images stay bytes, which takes a quarter of the memory traffic of floats; the value
/// of a byte is `scale * byte + shift` for every reader of the row.
struct DenseRows {
  std::size_t columns = 0;
  std::vector<std::uint8_t> byte;  ///< rows x columns, or empty
  Vector value;                    ///< rows x columns, or empty
  double scale = 1.0 / 255.0;      ///< for bytes
  double shift = 0.0;              ///< for bytes
  /// Scale and shift of the bytes of one colour plane.
  struct PlaneScale {
    double scale = 1.0 / 255.0, shift = 0.0;
  };
  /// For bytes of images with a scale for each of several planes, which follow each other in a
  /// record, all of one size; these replace `scale` and `shift`. Empty: all bytes have one scale.
  std::vector<PlaneScale> planes;
  /// Sums over the bytes or reals of all records, including those without a row, if they were
  /// counted.
  struct Census {
    std::uint64_t count = 0, sum = 0, squares = 0;
    double value_sum = 0, value_squares = 0;  ///< for reals
    void take_in(std::span<const std::uint8_t> bytes);
    void take_in(ConstView values);
  } census;

  /// Index of the nonzero bytes of each row, if most bytes are 0, so that sums over a row can skip
  /// the zeros.
  struct NonZeros {
    std::vector<std::size_t> start;     ///< rows + 1 offsets; empty = no index
    std::vector<std::uint16_t> column;  ///< ascending in a row
    std::vector<std::uint8_t> byte;
  } nonzeros;

  std::size_t rows() const { return columns == 0 ? 0 : (byte.size() + value.size()) / columns; }
  /// Builds `nonzeros` if at most 40 % of the bytes are nonzero and all bytes have one scale;
  /// otherwise dense matrix products are faster.
  void index_nonzeros();
  /// Writes the chosen rows as reals to `out` (rows.size() x columns), one after the other.
  void gather(Coordinates rows, View out) const;
  /// Returns the value of a black pixel in a column: that of byte 0, or 0 in rows of reals.
  real black(std::size_t column) const;
};

/// Records with labels 0 .. classes - 1, or -1 and +1 for two classes in sparse rows; with 0
/// classes, records have real targets, and every label is 0.
struct Dataset {
  std::variant<SparseRows, DenseRows> rows;
  std::vector<std::int32_t> label;
  int classes = 2;
  Vector target;            ///< by record, if there are no classes
  double target_scale = 1;  ///< factor that converts errors of targets to the units of the source
  std::vector<std::uint32_t>
      user;  ///< by record: the user it belongs to, 0 .. users - 1; may be empty
  std::vector<double> row_norm;   ///< Euclidean norms of the rows, after prepare()
  bool has_finite_norms = false;  ///< all of row_norm are finite, so callers need not check
  static constexpr std::uint32_t no_row = ~std::uint32_t{0};
  /// By record: its row, or no_row if it has none; empty = every record has a row, in the same
  /// order.
  std::vector<std::uint32_t> row;

  /// Computes row_norm, groups columns and indexes nonzero bytes, as training on a shard requires.
  void prepare();

  std::size_t size() const { return label.size(); }
  /// Prefetches the label and norm of a record.
  void prefetch_facts(std::size_t record) const {
    __builtin_prefetch(label.data() + record);
    if (!row_norm.empty()) __builtin_prefetch(row_norm.data() + record);
  }
  /// Prefetches this object itself, so that prefetch_shard() need not wait for it.
  void prefetch_header() const;
  /// Prefetches the labels, norms and bits of a small shard, or of the first records of a large
  /// one.
  void prefetch_shard() const;
  bool has_row(std::size_t record) const { return row.empty() || row[record] != no_row; }
  /// Returns the number of records with rows.
  std::size_t kept() const;
  std::size_t features() const;
  /// Returns the chosen records, which must have rows, as a data set, in the given order.
  Dataset select(Coordinates chosen) const;
  /// Drops the rows of all records except the chosen ones, whose rows follow each other in record
  /// order.
  void keep(const std::vector<bool>& chosen);
  /// Converts sparse rows to dense ones, and labels -1 and +1 to 0 and 1.
  void make_dense();
  /// Keeps the first `count` records.
  void truncate(std::size_t count);
};

/// Which records get rows: true at the number of the record; empty = all.
struct KeptRecords {
  std::vector<bool> train, test;
};

/// Result of loading a source.
struct TrainTest {
  Dataset train;
  Dataset test;                    ///< may be empty
  std::size_t numbers = 0;         ///< number of features that are quantities; they come first
  std::vector<std::string> names;  ///< names of the features that are quantities, if they have any
  std::string scaling = {};        ///< description of the transformations; empty: none
  std::string remark;              ///< remark on anomalies of the files; may be empty
  /// Labels that were renumbered by looking at all records, in words; empty = none.
  std::string renumbered;
  std::vector<std::string> notes;  ///< how the files were interpreted, where that could surprise
};

}  // namespace trilemma
