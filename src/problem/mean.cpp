#include <cmath>

#include "numeric/lanes.hpp"
#include "problem/kernels/record_factors.hpp"
#include "problem/problem.hpp"

namespace trilemma {
namespace {

// Mean estimation ([PMTL] analysis): loss(x; a) = 1/2 |x - a|^2 for a record with features a;
// labels and targets are ignored. The minimum is at the mean. Factors of a record: its gradient x -
// a.
class Mean final : public Problem {
 public:
  explicit Mean(std::size_t features) : features_(features) {}
  std::string description() const override {
    return fmt::format("mean estimation, d = {}", features_);
  }
  std::size_t dimension() const override { return features_; }
  std::size_t factors() const override { return features_; }

  void check(const Dataset& data) const override { check_dense(data, features_, "mean"); }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.gather(shard, rows);
  }

  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override {
    double loss = 0;
    for (std::size_t r = 0; r < batch.rows.size(); ++r) {
      const View gradient = factors.subspan(r * features_, features_);
      for (std::size_t j = 0; j < features_; ++j)
        gradient[j] = x[j] - batch.dense[r * features_ + j];
      if (with_loss) loss += 0.5 * norm_squared(ConstView(gradient));
    }
    return loss;
  }

  void norms(const Batch&, ConstView factors, std::span<double> norm) override {
    for (std::size_t r = 0; r < norm.size(); ++r)
      norm[r] = euclidean_norm(factors.subspan(r * features_, features_));
  }

  void scale(View record, double weight) const override { multiply(record, weight); }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    const real w = static_cast<real>(weight);
    for (std::size_t r = 0; r < batch.rows.size(); ++r)
      for (std::size_t j = 0; j < features_; ++j) sum[j] += w * factors[r * features_ + j];
  }

  double regulariser(ConstView) const override { return 0; }
  void add_regulariser_at(ConstView, Support, View) const override {}
  std::size_t correct(const Batch&, ConstView) override { return 0; }

  std::optional<Optimum> optimum(const Dataset& data,
                                 std::span<const double> weight) const override {
    std::vector<double> mean(features_, 0.0);
    double square = 0;
    double total = 0;
    Vector row(features_);
    for (std::uint32_t r = 0; r < data.size(); ++r) {
      std::get<DenseRows>(data.rows).gather({&r, 1}, row);
      for (std::size_t j = 0; j < features_; ++j)
        mean[j] += weight[r] * static_cast<double>(row[j]);
      square += weight[r] * norm_squared(ConstView(row));
      total += weight[r];
    }
    for (auto& value : mean) value /= total;
    const double centre = norm_squared<double>(mean);
    return Optimum{std::move(mean), 0.5 * (square - total * centre)};
  }

 private:
  std::size_t features_;
};

std::unique_ptr<Problem> make_mean(const NoOptions&, const Settings& settings,
                                   const DataShape& shape) {
  require_dense(settings, shape);
  return std::make_unique<Mean>(shape.features);
}

}  // namespace

Row<ProblemMaker> mean_problem() {
  return part_with_settings("mean", "mean estimation, half the squared distance to dense records",
                            make_mean);
}

}  // namespace trilemma
