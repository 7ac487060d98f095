#include <algorithm>
#include <array>

#include "base/prefetch.hpp"
#include "problem/kernels/bit_rows.hpp"
#include "problem/kernels/record_factors.hpp"
#include "problem/logistic_loss.hpp"

namespace trilemma {
namespace {

// Logistic loss on sparse records, whose labels are -1 and +1.
class SparseLogistic final : public LogisticLoss {
 public:
  SparseLogistic(LogisticSettings s, std::size_t features)
      : LogisticLoss(s, features, Labels::signs) {}

  void check(const Dataset& data) const override {
    require(std::holds_alternative<SparseRows>(data.rows) && data.classes == 2,
            "problem.kind = \"logistic\": needs records of two classes; choose softmax, or another "
            "data.source");
    require(data.features() == features_, "problem logistic: {} features found, {} expected",
            data.features(), features_);
  }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.shard = &shard;
    batch.rows = rows;
    if (rows.empty() || rows.back() - rows.front() + 1 == rows.size()) return;
    // Drawn rows are scattered over memory, so all of them are prefetched before the first is used.
    const auto& sparse = std::get<SparseRows>(shard.rows);
    const auto& groups = sparse.groups;
    if (!groups.bits.empty()) {
      for (const auto row : rows)
        prefetch(groups.bits, groups.words * row, groups.words * (row + 1));
      return;
    }
    if (sparse.are_grouped()) {
      for (const auto row : rows)
        prefetch(groups.column, group * groups.start[row], group * groups.start[row + 1]);
      return;
    }
    for (const auto row : rows) {
      prefetch(sparse.column, sparse.start[row], sparse.start[row + 1]);
      prefetch(sparse.value, sparse.start[row], sparse.start[row + 1]);
    }
  }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    if (has_bits(batch)) {
      const auto& groups = std::get<SparseRows>(batch.shard->rows).groups;
      scratch_.assign(bit_room(groups), real{0});
      std::copy(sum.begin(), sum.end(), scratch_.begin());
      add_bit_rows(groups, batch.rows, products(batch, factors, weight), scratch_);
      std::copy_n(scratch_.begin(), sum.size(), sum.begin());
      return;
    }
    if (pays_groups(batch)) return accumulate_groups(batch, factors, weight, sum);
    const auto& rows = std::get<SparseRows>(batch.shard->rows);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const real c = static_cast<real>(static_cast<double>(factors[i]) * weight);
      if (c == 0) continue;  // also if the features are not finite
      rows.each(batch.rows[i], [&](std::uint32_t j, real value) { sum[j] += c * value; });
    }
  }

  // Adds the same numbers in the same order.
  void accumulate_at(const Batch& batch, ConstView factors, double weight, Coordinates at,
                     View sum) override {
    if (!has_bits(batch)) return accumulate(batch, factors, weight, sum);
    add_bit_rows_at(std::get<SparseRows>(batch.shard->rows).groups, batch.rows,
                    products(batch, factors, weight), at, sum);
  }

 protected:
  void find_margins(const Batch& batch, ConstView x) override {
    if (has_bits(batch)) return margins_of_bits(batch, x);
    if (pays_groups(batch)) return margins_of_groups(batch, x);
    const auto& rows = std::get<SparseRows>(batch.shard->rows);
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      margin_[i] = static_cast<double>(sparse_dot(rows, batch.rows[i], x.data()));
  }

 private:
  static constexpr std::size_t group = SparseRows::Groups::size;

  template <class Numbers>
  static void prefetch(const Numbers& numbers, std::size_t first, std::size_t last) {
    prefetch_lines(std::span(numbers).subspan(first, last - first));
  }

  // Passes over groups also pass over all coordinates once, which must not be more work than the
  // rows themselves: about as many coordinates per record as a typical row has entries, each of
  // which saves a multiplication.
  bool pays_groups(const Batch& batch) const {
    constexpr std::size_t coordinates = 16;
    return std::get<SparseRows>(batch.shard->rows).are_grouped() &&
           features_ <= coordinates * batch.rows.size();
  }

  static bool has_bits(const Batch& batch) {
    return !std::get<SparseRows>(batch.shard->rows).groups.bits.empty();
  }

  // Returns, for each row, the number that each of its entries adds to a sum of gradients.
  ConstView products(const Batch& batch, ConstView factors, double weight) {
    const real value = std::get<SparseRows>(batch.shard->rows).groups.value;
    products_.resize(batch.rows.size());
    weigh_factors(factors, weight, value, products_);
    return products_;
  }

  // Returns the sum of value[e] * x[column[e]] in four fixed lanes, so that additions are
  // independent.
  static real sparse_dot(const SparseRows& rows, std::size_t row, const real* x) {
    std::array<real, group> lane{};
    if (rows.are_grouped()) {
      const auto& groups = rows.groups;
      const auto columns = groups.row(row);
      const std::uint16_t* at = columns.data();
      const std::uint16_t* end = at + columns.size();
      for (; at + group < end; at += group)
        for (std::size_t k = 0; k < group; ++k) lane[k] += groups.value * x[at[k]];
      for (std::size_t k = 0; at + k < end && at[k] < rows.columns; ++k)
        lane[k] += groups.value * x[at[k]];
      return (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
    const std::size_t count = rows.start[row + 1] - rows.start[row];
    const real* value = rows.value.data() + rows.start[row];
    const std::uint32_t* column = rows.column.data() + rows.start[row];
    std::size_t e = 0;
    for (; e + group <= count; e += group)
      for (std::size_t k = 0; k < group; ++k) lane[k] += value[e + k] * x[column[e + k]];
    for (std::size_t k = 0; e + k < count; ++k) lane[k] += value[e + k] * x[column[e + k]];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
  }

  void margins_of_bits(const Batch& batch, ConstView x) {
    const auto& groups = std::get<SparseRows>(batch.shard->rows).groups;
    scratch_.assign(bit_room(groups), real{0});
    for (std::size_t j = 0; j < features_; ++j) scratch_[j] = groups.value * x[j];
    bit_row_dots(groups, batch.rows, scratch_, margin_.data());
  }

  // Computes the same products in the same lanes, bit-identically: x is multiplied once, and
  // padding entries add 0.
  void margins_of_groups(const Batch& batch, ConstView x) {
    const auto& groups = std::get<SparseRows>(batch.shard->rows).groups;
    scratch_.resize(features_ + 1);
    for (std::size_t j = 0; j < features_; ++j) scratch_[j] = groups.value * x[j];
    scratch_[features_] = 0;
    const real* scaled = scratch_.data();
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const auto columns = groups.row(batch.rows[i]);
      real a = 0;
      real b = 0;
      real c = 0;
      real d = 0;
      for (std::size_t e = 0; e < columns.size(); e += group) {
        a += scaled[columns[e]];
        b += scaled[columns[e + 1]];
        c += scaled[columns[e + 2]];
        d += scaled[columns[e + 3]];
      }
      margin_[i] = static_cast<double>((a + b) + (c + d));
    }
  }

  // Performs the same additions as the loop over entries; padding entries add to an extra element
  // behind the sum.
  void accumulate_groups(const Batch& batch, ConstView factors, double weight, View sum) {
    const auto& groups = std::get<SparseRows>(batch.shard->rows).groups;
    scratch_.resize(features_ + 1);
    std::copy(sum.begin(), sum.end(), scratch_.begin());
    real* to = scratch_.data();
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const real factor = static_cast<real>(static_cast<double>(factors[i]) * weight);
      if (factor == 0) continue;
      const real product = factor * groups.value;
      const auto columns = groups.row(batch.rows[i]);
      for (std::size_t e = 0; e < columns.size(); e += group)
        for (std::size_t k = 0; k < group; ++k) to[columns[e + k]] += product;
    }
    std::copy(scratch_.begin(), scratch_.end() - 1, sum.begin());
  }

  Vector scratch_;   ///< one number per coordinate, and room for padding or whole words of bits
  Vector products_;  ///< one number per record
};

std::unique_ptr<Problem> make_logistic(const LogisticSettings& s, const Settings& settings,
                                       const DataShape& shape) {
  if (shape.classes != 2)
    settings.refuse(
        "kind", shape.classes == 0
                    ? std::string("needs records of two classes, but these have real targets; set "
                                  "data.classes = 2 if their targets are two labels, or choose "
                                  "linear")
                    : fmt::format("needs records of two classes, and these have {}; choose softmax",
                                  shape.classes));
  if (shape.sparse.value_or(true)) return std::make_unique<SparseLogistic>(s, shape.features);
  return make_dense_logistic(s, shape.features);
}

}  // namespace

Row<ProblemMaker> logistic_problem() {
  return part_with_settings(
      "logistic", "logistic loss on two classes, sparse or dense, with the non-convex regulariser",
      make_logistic);
}

}  // namespace trilemma
