#include <cmath>

#include "numeric/lanes.hpp"
#include "problem/kernels/record_factors.hpp"
#include "problem/problem.hpp"

namespace trilemma {
namespace {

struct MedianOptions {
  double smoothing = 0.1;
  void read(Reader& r) { r("smoothing", smoothing, positive(), "s: radius of the smooth tip"); }
};

// Smoothed geometric median: loss(x; a) = sqrt(s^2 + |x - a|^2) for a record with features a.
// Factors of a record: its gradient (x - a) / loss, of norm below 1.
class Median final : public Problem {
 public:
  Median(double smoothing, std::size_t features) : smoothing_(smoothing), features_(features) {}
  std::string description() const override { return fmt::format("median, s = {}", smoothing_); }
  std::size_t dimension() const override { return features_; }
  std::size_t factors() const override { return features_; }
  void check(const Dataset& data) const override { check_dense(data, features_, "median"); }
  void load(const Dataset& shard, Coordinates rows, Batch& b) override { b.gather(shard, rows); }
  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override {
    double sum = 0;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const View gradient = factors.subspan(i * features_, features_);
      for (std::size_t j = 0; j < features_; ++j)
        gradient[j] = x[j] - batch.dense[i * features_ + j];
      const double loss = std::hypot(smoothing_, euclidean_norm(ConstView(gradient)));
      multiply(gradient, 1 / loss);
      if (with_loss) sum += loss;
    }
    return sum;
  }
  void norms(const Batch&, ConstView factors, std::span<double> norm) override {
    for (std::size_t i = 0; i < norm.size(); ++i)
      norm[i] = euclidean_norm(factors.subspan(i * features_, features_));
  }
  void scale(View record, double weight) const override { multiply(record, weight); }
  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      for (std::size_t j = 0; j < features_; ++j)
        sum[j] += static_cast<real>(weight) * factors[i * features_ + j];
  }
  double regulariser(ConstView) const override { return 0; }
  void add_regulariser_at(ConstView, Support, View) const override {}
  std::size_t correct(const Batch&, ConstView) override { return 0; }

 private:
  double smoothing_;
  std::size_t features_;
};

std::unique_ptr<Problem> make_median(const MedianOptions& options, const Settings& settings,
                                     const DataShape& shape) {
  require_dense(settings, shape);
  return std::make_unique<Median>(options.smoothing, shape.features);
}

}  // namespace

Row<ProblemMaker> median_problem() {
  return part_with_settings("median", "smoothed geometric median of dense records", make_median);
}

}  // namespace trilemma
