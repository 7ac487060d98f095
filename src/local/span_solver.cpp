
#include <algorithm>
#include <cmath>

#include "local/solver.hpp"
#include "numeric/elementwise.hpp"
#include "problem/interfaces.hpp"
#include "problem/kernels/span_product.hpp"

namespace trilemma {
namespace {

// With fewer steps, computing the products of the records does not pay off.
constexpr long fewest_steps = 3;
// Number of features per record below which the span is not smaller than the model.
constexpr std::size_t features_per_record = 4;

// Takes the steps of Solver<GdSteps> on a linear model in the span of the client's m records A (m x
// d). The sum of the gradients is S_t = p_t x + A^T D_t, so with w_t = x - eta S_t
//   margins    z_t = A w_t = (1 - eta p_t) A x - eta (A A^T) D_t
//   D_{t+1}      = D_t + F(z_t)/m - eta (l2 + mu) D_t
//   p_{t+1}      = p_t + l2 (1 - eta p_t) - mu eta p_t
// for factors F, weight decay l2 and pull mu. A step costs m^2 c instead of 2 m d c products; A A^T
// is stored, since the records of a client never change.
class SpanSolver final : public LocalWork {
 public:
  SpanSolver(const LocalSetup& s, std::unique_ptr<LocalWork> plain)
      : s_(s),
        model_(*s.problem->as_linear_model()),
        plain_(std::move(plain)),
        products_(s.shards.size()) {}

  void start(ConstView x) override { plain_->start(x); }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const Dataset& shard = *s_.shards[slot];
    const std::size_t m = shard.size();
    last_steps_ = static_cast<std::size_t>(task.steps.value_or(s_.steps.count));
    if (m * features_per_record > shard.features()) return plain_->estimate(slot, task, out);
    while (rows_.size() < m) rows_.push_back(static_cast<std::uint32_t>(rows_.size()));
    model_.load(shard, Coordinates(rows_).first(m), batch_);
    width_ = padded(m, span_lanes);
    if (products_[slot].empty()) keep_products(m, products_[slot]);
    const double rate = s_.steps.step_rate(task.round_of_rate(), last_steps_);
    const double along_x = follow(products_[slot], m, task.model, rate, last_steps_);
    std::fill(out.begin(), out.end(), real{0});
    const double share = share_of_sum(rate, last_steps_);
    model_.accumulate(batch_, factors_, share, out);
    const auto of_x = static_cast<real>(share * along_x);
    if (of_x != 0) combine(1, out, of_x, task.model, out);
    return m * last_steps_;
  }
  std::size_t last_steps() const override { return last_steps_; }

 private:
  void keep_products(std::size_t m, Vector& kept) {
    Vector all(m * m);
    model_.gram(batch_, all);
    kept.assign(m * width_, real{0});
    for (std::size_t i = 0; i < m; ++i)
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(i * m), m,
                  kept.begin() + static_cast<std::ptrdiff_t>(i * width_));
  }

  // Takes all steps; leaves D (m x c) in factors_ and returns p.
  double follow(const Vector& products, std::size_t m, ConstView x, double rate,
                std::size_t number) {
    const std::size_t c = model_.outputs();
    const std::size_t outputs = padded(c, span_group);
    factors_.resize(m * c);
    model_.margins(batch_, x, factors_);
    for (Vector* part : {&start_, &margins_, &sum_}) part->assign(outputs * width_, real{0});
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t o = 0; o < c; ++o) start_[o * width_ + r] = factors_[r * c + o];
    const double l2 = model_.l2();
    const double pull = s_.steps.pull;
    const auto share = static_cast<real>(1.0 / static_cast<double>(m));
    const auto kept = static_cast<real>(1.0 - rate * (l2 + pull));
    double along_x = 0;
    for (std::size_t t = 0; t < number; ++t) {
      const auto left = static_cast<real>(1 - rate * along_x);
      std::copy(start_.begin(), start_.end(), margins_.begin());
      if (left != 1) scale(margins_, left);
      if (t > 0)
        subtract_products(products.data(), m, width_, sum_.data(), outputs, static_cast<real>(rate),
                          margins_.data());
      model_.respond(batch_, margins_, width_);
      const View sum = View(sum_).first(c * width_);
      combine(kept, sum, share, margins_, sum);
      along_x += l2 * (1 - rate * along_x) - pull * rate * along_x;
    }
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t o = 0; o < c; ++o) factors_[r * c + o] = sum_[o * width_ + r];
    return along_x;
  }

  // Returns the factor that turns the sum of gradients p x + A^T D into the requested update.
  double share_of_sum(double rate, std::size_t number) const {
    if (s_.steps.update == Update::mean) return 1.0 / static_cast<double>(number);
    return s_.steps.update == Update::difference ? rate : 1.0;
  }

  LocalSetup s_;
  LinearModel& model_;
  std::unique_ptr<LocalWork> plain_;
  std::vector<Vector> products_;  ///< by slot, records x width_
  std::vector<std::uint32_t> rows_;
  Batch batch_;
  std::size_t width_ = 0;  ///< number of records, padded
  std::size_t last_steps_ = 0;
  Vector start_, margins_, factors_, sum_;
};

}  // namespace

std::unique_ptr<LocalWork> in_span(const LocalSetup& s, std::unique_ptr<LocalWork> plain) {
  if (s.steps.is_plain || s.steps.count < fewest_steps || !std::isinf(s.record_bound.threshold) ||
      s.problem->as_linear_model() == nullptr)
    return plain;
  return std::make_unique<SpanSolver>(s, std::move(plain));
}

}  // namespace trilemma
