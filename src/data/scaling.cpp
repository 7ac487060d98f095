#include "data/scaling.hpp"

#include <cmath>
#include <stdexcept>

#include "base/check.hpp"
#include "base/text.hpp"
#include "numeric/lanes.hpp"
#include "numeric/random.hpp"

namespace trilemma {
namespace {

// Calls visit(column, value) for the entries of a row.
template <class Visit>
void each_entry(const SparseRows& rows, std::size_t r, Visit&& visit) {
  rows.each(r,
            [&](std::uint32_t column, real value) { visit(column, static_cast<double>(value)); });
}
template <class Visit>
void each_entry(const DenseRows& rows, std::size_t r, Visit&& visit) {
  for (std::size_t j = 0; j < rows.columns; ++j)
    visit(j, static_cast<double>(rows.value[r * rows.columns + j]));
}

// Returns the largest singular value. Stored zeros do not change its bits.
template <class Rows>
double largest_singular_value(const Rows& rows) {
  // A random start is not orthogonal to the leading vector; the same start is used for every
  // caller.
  std::vector<double> v(rows.columns);
  normals({}, 0, v);
  std::vector<double> next(rows.columns);
  double norm = 0;
  for (int step = 0; step < 10000; ++step) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      double dot = 0;
      each_entry(rows, r, [&](std::size_t j, double value) { dot += value * v[j]; });
      each_entry(rows, r, [&](std::size_t j, double value) { next[j] += value * dot; });
    }
    const double length = std::sqrt(norm_squared<double>(v));
    const double grown = std::sqrt(norm_squared<double>(next));
    if (grown == 0) return 0;
    const double estimate = std::sqrt(grown / length);
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = next[j] / grown;
    if (std::abs(estimate - norm) <= 1e-12 * estimate) return estimate;
    norm = estimate;
  }
  return norm;
}

std::string scale_spectral(TrainTest& data) {
  const auto* images = std::get_if<DenseRows>(&data.train.rows);
  require(images == nullptr || images->byte.empty(),
          "data.scaling = \"spectral\": not for images; use \"standard\"");
  const double norm =
      std::visit([](const auto& rows) { return spectral_norm(rows); }, data.train.rows);
  require(norm > 0, "data.scaling = \"spectral\": all features are zero; use \"none\"");
  const double divisor = norm / (2.0 * std::sqrt(static_cast<double>(data.train.size())));
  for (auto* set : {&data.train, &data.test})
    std::visit(
        [&](auto& rows) {
          if constexpr (requires { rows.groups; })
            rows.groups.value = static_cast<real>(rows.groups.value * (1.0 / divisor));
          for (auto& value : rows.value) value = static_cast<real>(value * (1.0 / divisor));
        },
        set->rows);
  return fmt::format("divided by {:.9g} (spectral norm {:.9g})", divisor, norm);
}

// Uses one mean and one standard deviation for all reals.
std::string scale_reals(TrainTest& data, const DenseRows::Census& all) {
  const auto count = static_cast<double>(all.count);
  const double mean = all.value_sum / count;
  const double deviation = std::sqrt(std::max(0.0, all.value_squares / count - mean * mean));
  require(deviation > 0, "data.scaling = \"standard\": all values are equal; use \"none\"");
  for (auto* set : {&data.train, &data.test})
    if (auto* rows = std::get_if<DenseRows>(&set->rows); rows != nullptr)
      for (auto& value : rows->value) value = static_cast<real>((value - mean) / deviation);
  return fmt::format("minus {:.6g}, divided by {:.6g}", mean, deviation);
}

std::string scale_standard(TrainTest& data) {
  auto* train = std::get_if<DenseRows>(&data.train.rows);
  require(train != nullptr &&
              (!train->byte.empty() || !train->value.empty() || train->census.count > 0),
          "data.scaling = \"standard\": only for images; use \"spectral\" or \"none\"");
  DenseRows::Census all = train->census;
  // Counts the training records here unless loading has counted all records, including those drawn
  // for tests.
  if (all.count == 0 && train->byte.empty()) all.take_in(ConstView(train->value));
  if (train->byte.empty() && all.squares == 0 && all.value_squares != 0)
    return scale_reals(data, all);
  if (all.count == 0) all.take_in(train->byte);
  const auto count = static_cast<double>(all.count);
  const double mean = static_cast<double>(all.sum) / count;
  const double deviation = std::sqrt(static_cast<double>(all.squares) / count - mean * mean);
  require(deviation > 0, "data.scaling = \"standard\": all pixels are equal; use \"none\"");
  train->scale = 1.0 / deviation;
  train->shift = -mean / deviation;
  if (auto* test = std::get_if<DenseRows>(&data.test.rows); test != nullptr) {
    test->scale = train->scale;
    test->shift = train->shift;
  }
  return fmt::format("minus {:.6g}, divided by {:.6g}", mean / 255.0, deviation / 255.0);
}

// Returns a feature's name, or its number from 1 on.
std::string feature_in_words(const TrainTest& data, std::size_t c) {
  return c < data.names.size() ? fmt::format("feature \"{}\"", shown(data.names[c]))
                               : fmt::format("feature {}", c + 1);
}

struct Affine {
  double mean, deviation;
  real operator()(real value) const {
    return static_cast<real>((static_cast<double>(value) - mean) / deviation);
  }
};

// Computes the statistics of the values first, first + stride, ... of the chosen records.
Affine statistics(const Vector& value, std::size_t first, std::size_t stride, Coordinates chosen) {
  const auto count = static_cast<double>(chosen.size());
  double sum = 0;
  for (const auto r : chosen) sum += static_cast<double>(value[r * stride + first]);
  const double mean = sum / count;
  double squares = 0;
  for (const auto r : chosen) {
    const double distance = static_cast<double>(value[r * stride + first]) - mean;
    squares += distance * distance;
  }
  return {mean, std::sqrt(squares / count)};
}

}  // namespace

void append_bias(Dataset& data) {
  auto* rows = std::get_if<SparseRows>(&data.rows);
  require(rows != nullptr,
          "data.bias = true: only for sparse data; the network has biases of its own");
  SparseRows wider;
  wider.columns = rows->columns + 1;
  for (std::size_t r = 0; r < rows->rows(); ++r) {
    wider.append_row(*rows, r);
    wider.column.push_back(static_cast<std::uint32_t>(rows->columns));
    wider.value.push_back(1);
    wider.start.back() = wider.column.size();
  }
  *rows = std::move(wider);
}

double spectral_norm(const SparseRows& rows) { return largest_singular_value(rows); }
double spectral_norm(const DenseRows& rows) { return largest_singular_value(rows); }

void add_note(TrainTest& data, const std::string& words) {
  data.scaling = data.scaling.empty() ? words : data.scaling + "; " + words;
}

std::string fill_missing(TrainTest& data, Coordinates training) {
  const std::size_t columns = data.train.features();
  const auto& known = std::get<DenseRows>(data.train.rows).value;
  std::vector<double> mean(columns, 0.0);
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<std::uint32_t> having;
    for (const auto r : training)
      if (!std::isnan(known[r * columns + c])) having.push_back(r);
    require(!having.empty(),
            "data.missing = \"mean\": no training record has {}; leave its column out",
            feature_in_words(data, c));
    mean[c] = statistics(known, c, columns, having).mean;
  }
  for (auto* set : {&data.train, &data.test})
    if (auto* rows = std::get_if<DenseRows>(&set->rows); rows != nullptr)
      for (std::size_t i = 0; i < rows->value.size(); ++i)
        if (std::isnan(rows->value[i])) rows->value[i] = static_cast<real>(mean[i % columns]);
  return "means over all clients' training records in place of missing values";
}

std::string standardise(TrainTest& data, Coordinates training, std::size_t columns) {
  auto* train = std::get_if<DenseRows>(&data.train.rows);
  require(train != nullptr && train->byte.empty(),
          "data.scaling = \"standard\": only for dense rows of numbers; use \"none\"");
  auto* test = std::get_if<DenseRows>(&data.test.rows);
  for (std::size_t c = 0; c < columns; ++c) {
    const Affine change = statistics(train->value, c, train->columns, training);
    require(
        change.deviation > 0,
        "data.scaling = \"standard\": {} is the same in all training records; leave its column out",
        feature_in_words(data, c));
    for (auto* rows : {train, test})
      for (std::size_t i = c; rows != nullptr && i < rows->value.size(); i += rows->columns)
        rows->value[i] = change(rows->value[i]);
  }
  std::string words =
      "each minus its mean, divided by its standard deviation, over all clients' training records";
  if (data.train.target.empty()) return words;
  const Affine change = statistics(data.train.target, 0, 1, training);
  require(change.deviation > 0, "data.scaling = \"standard\": all targets are equal; use \"none\"");
  for (auto* set : {&data.train, &data.test}) {
    for (auto& value : set->target) value = change(value);
    set->target_scale = change.deviation;
  }
  return words +
         fmt::format("; target minus {:.6g}, divided by {:.6g}", change.mean, change.deviation);
}

std::string scale_features(TrainTest& data, Scaling kind) {
  switch (kind) {
    case Scaling::none:
      break;
    case Scaling::spectral:
      return scale_spectral(data);
    case Scaling::standard:
      return scale_standard(data);
    case Scaling::channels:
      throw std::logic_error("the constants of channels are stated, not found");
  }
  return {};
}

}  // namespace trilemma
