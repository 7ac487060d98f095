#include <Eigen/Cholesky>

#include <cmath>

#include "numeric/lanes.hpp"
#include "problem/interfaces.hpp"
#include "problem/weight_decay.hpp"

namespace trilemma {
namespace {

// Least squares: f(x; (a, y)) = 1/2 (a.x - y)^2 + l2/2 |x|^2. Factor of a record: the residual r =
// a.x - y; its gradient is r a.
class Linear final : public LinearModel {
 public:
  Linear(WeightDecay decay, std::size_t features) : decay_(decay), features_(features) {}

  std::string description() const override {
    return fmt::format("linear least squares, d = {}{}", features_, decay_.text());
  }
  std::size_t dimension() const override { return features_; }
  std::size_t factors() const override { return 1; }

  void check(const Dataset& data) const override {
    check_dense(data, features_, "linear");
    require(data.target.size() == data.size(),
            "problem.kind = \"linear\": needs real targets; set data.classes = 0");
  }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.shard = &shard;
    batch.rows = rows;
  }

  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override {
    double loss = 0;
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const double residual =
          dot(row(batch, i), x) - static_cast<double>(batch.shard->target[batch.rows[i]]);
      factors[i] = static_cast<real>(residual);
      if (with_loss) loss += 0.5 * residual * residual;
    }
    return loss;
  }

  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override {
    for (std::size_t i = 0; i < norm.size(); ++i)
      norm[i] = std::abs(static_cast<double>(factors[i])) * batch.shard->row_norm[batch.rows[i]];
  }

  void scale(View record_factors, double weight) const override {
    record_factors[0] = static_cast<real>(static_cast<double>(record_factors[0]) * weight);
  }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const real c = static_cast<real>(static_cast<double>(factors[i]) * weight);
      if (c == 0) continue;  // also if the features are not finite
      const ConstView a = row(batch, i);
      for (std::size_t j = 0; j < a.size(); ++j) sum[j] += c * a[j];
    }
  }

  double regulariser(ConstView x) const override { return decay_.value(x); }
  void add_regulariser_at(ConstView x, Support at, View g) const override {
    decay_.add_gradient(x, at, g);
  }

  std::size_t correct(const Batch&, ConstView) override { return 0; }

  double squared_error(double loss) const override { return 2 * loss; }

  std::size_t outputs() const override { return 1; }
  double l2() const override { return decay_.l2; }
  void margins(const Batch& batch, ConstView x, View z) override {
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      z[i] = static_cast<real>(dot(row(batch, i), x));
  }
  void respond(const Batch& batch, View z, std::size_t) override {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) z[i] -= batch.shard->target[batch.rows[i]];
  }
  void gram(const Batch& batch, View products) override {
    const std::size_t count = batch.rows.size();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        products[i * count + j] = products[j * count + i] =
            static_cast<real>(dot(row(batch, i), row(batch, j)));
  }

  // Solves the normal equations (sum_r w_r a_r a_r^T + l2 I) x = sum_r w_r y_r a_r. If the solution
  // is not unique, returns one of them.
  std::optional<Optimum> optimum(const Dataset& data,
                                 std::span<const double> weight) const override {
    const auto d = static_cast<Eigen::Index>(features_);
    Eigen::MatrixXd matrix = decay_.l2 * Eigen::MatrixXd::Identity(d, d);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(d);
    const Vector& value = std::get<DenseRows>(data.rows).value;
    for (std::size_t r = 0; r < data.size(); ++r) {
      const Eigen::VectorXd a =
          Eigen::Map<const Eigen::Matrix<real, Eigen::Dynamic, 1>>(value.data() + r * features_, d)
              .cast<double>();
      matrix.selfadjointView<Eigen::Lower>().rankUpdate(a, weight[r]);
      right += weight[r] * static_cast<double>(data.target[r]) * a;
    }
    const Eigen::VectorXd x =
        Eigen::MatrixXd(matrix.selfadjointView<Eigen::Lower>()).ldlt().solve(right);
    Optimum best{{x.data(), x.data() + d}, 0.5 * decay_.l2 * x.squaredNorm()};
    for (std::size_t r = 0; r < data.size(); ++r) {
      double residual = -static_cast<double>(data.target[r]);
      for (std::size_t j = 0; j < features_; ++j)
        residual += static_cast<double>(value[r * features_ + j]) * best.x[j];
      best.value += 0.5 * weight[r] * residual * residual;
    }
    return best;
  }

 private:
  ConstView row(const Batch& batch, std::size_t i) const {
    const Vector& value = std::get<DenseRows>(batch.shard->rows).value;
    return ConstView(value).subspan(batch.rows[i] * features_, features_);
  }

  WeightDecay decay_;
  std::size_t features_;
};

std::unique_ptr<Problem> make_linear(const WeightDecay& decay, const Settings& settings,
                                     const DataShape& shape) {
  if (shape.sparse.value_or(false) || shape.classes != 0)
    settings.refuse(
        "kind",
        "needs dense records with real targets; set data.classes = 0 for a LIBSVM or CSV "
        "file that has them, or choose data.source = \"quadratics\"");
  return std::make_unique<Linear>(decay, shape.features);
}

}  // namespace

Row<ProblemMaker> linear_problem() {
  return part_with_settings("linear", "least squares on dense rows with real targets", make_linear);
}

}  // namespace trilemma
