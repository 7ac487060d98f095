#pragma once
// A problem whose every step has a closed form: loss(w; a) = 0.5 ||w - a||^2.

#include <algorithm>
#include <cmath>

#include "problem/problem.hpp"

namespace trilemma::testing {

/// Gradient w - a for a record with features a (dense reals); no regulariser.
class MeanEstimation final : public Problem {
 public:
  explicit MeanEstimation(std::size_t dimension) : dimension_(dimension) {}
  std::string description() const override { return "mean estimation"; }
  std::size_t dimension() const override { return dimension_; }
  std::size_t factors() const override { return dimension_; }
  void check(const Dataset&) const override {}
  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.shard = &shard;
    batch.rows = rows;
  }
  double linearise(const Batch& batch, ConstView x, View factors, bool) override {
    const auto& value = std::get<DenseRows>(batch.shard->rows).value;
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      for (std::size_t j = 0; j < dimension_; ++j)
        factors[i * dimension_ + j] = x[j] - value[batch.rows[i] * dimension_ + j];
    return 0;
  }
  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < dimension_; ++j)
        sum += std::pow(static_cast<double>(factors[i * dimension_ + j]), 2);
      norm[i] = std::sqrt(sum);
    }
  }
  void scale(View factors, double weight) const override {
    for (auto& f : factors) f *= static_cast<real>(weight);
  }
  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      for (std::size_t j = 0; j < dimension_; ++j)
        sum[j] += static_cast<real>(weight) * factors[i * dimension_ + j];
  }
  double regulariser(ConstView) const override { return 0; }
  void add_regulariser_gradient(ConstView, View) const override {}
  std::size_t correct(const Batch&, ConstView) override { return 0; }

 private:
  std::size_t dimension_;
};

/// One record a client; the rows of `points` are its features.
inline std::vector<Dataset> one_record_each(const std::vector<Vector>& points) {
  std::vector<Dataset> shards;
  for (const auto& point : points) {
    DenseRows rows;
    rows.columns = point.size();
    rows.value = point;
    Dataset data;
    data.rows = std::move(rows);
    data.label = {0};
    data.prepare();
    shards.push_back(std::move(data));
  }
  return shards;
}

}  // namespace trilemma::testing
