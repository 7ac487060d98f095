#include <algorithm>
#include <cmath>
#include <limits>

#include "compress/compressor.hpp"
#include "compress/rounding.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

struct RankShape {
  std::size_t rank, rows, columns;
  std::size_t matrix() const { return rows * columns; }
};

struct LowRankOptions {
  std::size_t rank = 1, rows = 0, columns = 0;

  void read(Reader& r) {
    r("rank", rank, {.low = 1, .high = 1024}, "rank of the matrix that is sent");
    r("rows", rows, at_least(0),
      "rows of the matrix that the first coordinates form, row by row, such as the inputs of a "
      "layer; 0 = about as many as columns");
    r("columns", columns, at_least(0),
      "columns of the matrix, such as the units of the layer; 0 = as many as the coordinates fill");
  }

  RankShape shape(std::size_t dimension, const Settings& settings) const {
    RankShape shape{rank, rows, columns};
    const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(dimension)));
    if (rows == 0) shape.rows = columns > 0 ? dimension / columns : std::max<std::size_t>(1, side);
    if (columns == 0) shape.columns = dimension / std::max<std::size_t>(1, shape.rows);
    if (shape.rows > dimension || shape.columns > dimension || shape.matrix() == 0 ||
        shape.matrix() > dimension)
      settings.refuse(rows > 0 ? "rows" : "columns",
                      fmt::format("{} rows of {} columns are not made of {} coordinates; choose a "
                                  "smaller matrix",
                                  shape.rows, shape.columns, dimension));
    if (rank > std::min(shape.rows, shape.columns))
      settings.refuse("rank",
                      fmt::format("above what a matrix of {} rows and {} columns has; lower it",
                                  shape.rows, shape.columns));
    return shape;
  }
};

// Low-rank approximation: sends a matrix M of the first coordinates as P B and the other
// coordinates as they are (one power iteration of PowerSGD, Vogels, Karimireddy and Jaggi 2019,
// without a warm start). The r columns of P are an orthonormal basis of M Q with a normal Q drawn
// in every round, and B = P' M. This projects M, so its norm never grows; the expected share of
// ||M||^2 that is kept is at least r / min(rows, columns), the share for a matrix whose singular
// values are all equal. Biased.
class LowRank final : public Compressor {
 public:
  LowRank(std::size_t dimension, const RankShape& shape, ValueFormat format)
      : shape_(shape),
        layout_{.dimension = dimension,
                .count = shape.rank * (shape.rows + shape.columns) + dimension - shape.matrix(),
                .index = IndexCode::keyed,
                .value = format},
        drawn_(shape.columns),
        left_(shape.rank, std::vector<double>(shape.rows)),
        right_(shape.columns) {}

  std::string label() const override { return fmt::format("low-rank, rank = {}", shape_.rank); }
  std::string description() const override {
    return label() + fmt::format(" of a matrix of {} x {}, {} other coordinates", shape_.rows,
                                 shape_.columns, layout_.dimension - shape_.matrix());
  }
  CompressorTraits traits() const override {
    const auto side = static_cast<double>(std::min(shape_.rows, shape_.columns));
    return {.unbiased = false,
            .omega = std::numeric_limits<double>::quiet_NaN(),
            .gain = 1 + 0x1p-20,
            .delta = static_cast<double>(shape_.rank) / side * (1 - 0x1p-20)};
  }
  Layout layout() const override { return layout_; }

  void compress(ConstView z, const Key& key, Message& out) override {
    out.index.clear();
    out.value.resize(layout_.count);
    for (std::size_t r = 0; r < shape_.rank; ++r) span_column(z, key, r);
    View rest = out.value;
    for (const auto& column : left_) {
      std::ranges::transform(column, rest.begin(), [](double v) { return static_cast<real>(v); });
      rest = rest.subspan(shape_.rows);
    }
    for (const auto& column : left_) {
      project(z, column);
      std::ranges::transform(right_, rest.begin(), [](double v) { return static_cast<real>(v); });
      rest = rest.subspan(shape_.columns);
    }
    std::ranges::copy(z.subspan(shape_.matrix()), rest.begin());
    rounding_(layout_.value, key, out.value);
  }

  SparseView expand(const Message& message) override {
    const ConstView values = message.value;
    const ConstView left = values.first(shape_.rank * shape_.rows);
    const ConstView right = values.subspan(left.size(), shape_.rank * shape_.columns);
    vector_.resize(layout_.dimension);
    for (std::size_t i = 0; i < shape_.rows; ++i) {
      std::ranges::fill(right_, 0.0);
      for (std::size_t r = 0; r < shape_.rank; ++r)
        add(left[r * shape_.rows + i], right.subspan(r * shape_.columns, shape_.columns));
      std::ranges::transform(right_,
                             vector_.begin() + static_cast<std::ptrdiff_t>(i * shape_.columns),
                             [](double v) { return static_cast<real>(v); });
    }
    std::ranges::copy(values.subspan(left.size() + right.size()),
                      vector_.begin() + static_cast<std::ptrdiff_t>(shape_.matrix()));
    return {Support::all(), vector_};
  }

 private:
  ConstView row(ConstView z, std::size_t i) const {
    return z.subspan(i * shape_.columns, shape_.columns);
  }

  // Computes column r of P: M q minus its projections onto the previous columns, normalised to
  // length 1; 0 if nothing is left. Projects twice, since rounding leaves a part of them after the
  // first time.
  void span_column(ConstView z, const Key& key, std::size_t r) {
    normals(rounding_key(key), static_cast<std::uint32_t>(r * (shape_.columns + 1) / 2 * 2),
            drawn_);
    auto& column = left_[r];
    for (std::size_t i = 0; i < shape_.rows; ++i) {
      const ConstView values = row(z, i);
      double sum = 0;
      for (std::size_t j = 0; j < values.size(); ++j)
        sum += drawn_[j] * static_cast<double>(values[j]);
      column[i] = sum;
    }
    const double whole = euclidean_norm<double>(column);
    for (int time = 0; time < 2; ++time)
      for (std::size_t before = 0; before < r; ++before) {
        double part = 0;
        for (std::size_t i = 0; i < shape_.rows; ++i) part += left_[before][i] * column[i];
        for (std::size_t i = 0; i < shape_.rows; ++i) column[i] -= part * left_[before][i];
      }
    const double length = euclidean_norm<double>(column);
    constexpr double nothing = 1e-10;
    double factor = length <= nothing * whole ? 0 : 1 / length;
    if (!std::isfinite(whole)) factor = std::numeric_limits<double>::quiet_NaN();
    for (auto& value : column) value *= factor;
  }

  // Sets right_ to the product of a column of P with M.
  void project(ConstView z, const std::vector<double>& column) {
    std::ranges::fill(right_, 0.0);
    for (std::size_t i = 0; i < shape_.rows; ++i) add(column[i], row(z, i));
  }
  void add(double factor, ConstView values) {
    for (std::size_t j = 0; j < values.size(); ++j)
      right_[j] += factor * static_cast<double>(values[j]);
  }

  RankShape shape_;
  Layout layout_;
  Rounding rounding_;
  std::vector<double> drawn_;              ///< a column of Q
  std::vector<std::vector<double>> left_;  ///< P by columns
  std::vector<double> right_;              ///< a row of B, or of the product
  Vector vector_;
};

std::unique_ptr<Compressor> make_low_rank(const LowRankOptions& options, const Settings& settings,
                                          std::size_t dimension, ValueFormat format) {
  const RankShape shape = options.shape(dimension, settings);
  require(format == ValueFormat::float32 || format == ValueFormat::float64,
          "wire.value: low-rank sends the factors of a matrix, whose sizes have nothing in common; "
          "choose \"float32\" or \"float64\"");
  return std::make_unique<LowRank>(dimension, shape, format);
}

}  // namespace

Row<CompressorMaker> low_rank_compressor() {
  return part_with_settings(
      "low-rank", "a matrix as the product of two thin ones (PowerSGD); biased", make_low_rank);
}

}  // namespace trilemma
