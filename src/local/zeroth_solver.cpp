#include "local/trajectory.hpp"
#include "numeric/directions.hpp"

namespace trilemma {
namespace {

// Losses of minibatches with the regulariser, in double: their small differences would lose their
// digits in float.
class MinibatchLoss {
 public:
  explicit MinibatchLoss(Problem& problem) : problem_(problem), block_(block_rows(problem)) {}

  /// Returns (sum of the losses of `rows` at x) / `divisor` + regulariser(x). `coins` addresses
  /// random changes of the records, which are the same for all x.
  double operator()(const Dataset& shard, Coordinates rows, double divisor, const Key& coins,
                    ConstView x) {
    double sum = 0;
    batch_.coins = coins;
    for (std::size_t first = 0; first < rows.size(); first += block_) {
      const Coordinates part = rows.subspan(first, std::min(block_, rows.size() - first));
      problem_.load(shard, part, batch_);
      batch_.block = static_cast<std::uint32_t>(first / block_);
      const std::size_t size = part.size() * problem_.factors();
      if (factors_.size() < size) factors_.resize(size);
      sum += problem_.loss(batch_, x, View(factors_).first(size));
    }
    batch_.coins.reset();
    return sum / divisor + problem_.regulariser(x);
  }

 private:
  Problem& problem_;
  std::size_t block_;
  Batch batch_;
  Vector factors_;
};

// Steps of DeComFL (Li, Ying, Liu, Dong and Yang 2025, algorithm 4): along each of the P directions
// z of a step, g = (f(x + mu z) - f(x)) / mu; then x -= eta/P sum_p g_p z_p. The scalars of all
// steps are the client's vector.
class ZerothOrder {
 public:
  explicit ZerothOrder(const LocalSetup& s)
      : s_(s), loss_(*s.problem), perturbations_(static_cast<std::size_t>(s.steps.perturbations)) {}

  /// Starts a task, whose scalars go to `out`.
  void begin(const Task& task, double rate, View out) {
    at_.assign(task.model.begin(), task.model.end());
    seed_ = task.key.seed;
    round_ = task.key.round;
    rate_ = rate / static_cast<double>(perturbations_);
    out_ = out;
    next_ = 0;
  }

  void step(const Dataset& shard, Coordinates rows, double divisor, Key key) {
    key.purpose = Purpose::training;
    key.secret = nullptr;  // no privacy rests on how records are changed
    const double here = loss_(shard, rows, divisor, key, at_);
    direction_.resize(at_.size());
    near_.resize(at_.size());
    sum_.assign(at_.size(), 0.0);
    for (std::size_t p = 0; p < perturbations_; ++p, ++next_) {
      draw_direction(seed_, round_, next_, 0, direction_);
      for (std::size_t j = 0; j < at_.size(); ++j)
        near_[j] =
            static_cast<real>(static_cast<double>(at_[j]) + s_.steps.smoothing * direction_[j]);
      const double there = loss_(shard, rows, divisor, key, near_);
      out_[next_] = static_cast<real>((there - here) / s_.steps.smoothing);
      const auto scalar = static_cast<double>(out_[next_]);
      for (std::size_t j = 0; j < at_.size(); ++j) sum_[j] += scalar * direction_[j];
    }
    for (std::size_t j = 0; j < at_.size(); ++j)
      at_[j] = static_cast<real>(static_cast<double>(at_[j]) - rate_ * sum_[j]);
  }

 private:
  const LocalSetup& s_;
  MinibatchLoss loss_;
  std::size_t perturbations_;  ///< P
  // State of the task.
  std::uint64_t seed_ = 0;
  std::uint32_t round_ = 0;
  double rate_ = 0;
  View out_;
  std::size_t next_ = 0;  ///< number of the next direction
  Vector at_;
  Vector near_;                    ///< x + mu z
  std::vector<double> direction_;  ///< z
  std::vector<double> sum_;        ///< sum_p g_p z_p
};

template <class Steps>
class ZerothSolver final : public LocalWork {
 public:
  explicit ZerothSolver(const LocalSetup& s) : s_(s), steps_(s_), search_(s_) {}

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const auto number = static_cast<std::size_t>(s_.steps.count);
    search_.begin(task, s_.steps.step_rate(task.round_of_rate(), number), out);
    std::size_t records = 0;
    for (std::size_t t = 0; t < number; ++t)
      records += steps_.step(*s_.shards[slot], task.key, static_cast<long>(t), search_);
    return records;
  }
  std::size_t last_steps() const override { return static_cast<std::size_t>(s_.steps.count); }

 private:
  LocalSetup s_;
  Steps steps_;
  ZerothOrder search_;
};

}  // namespace

Row<SolverKind> zeroth_gd_solver() {
  return {"zeroth-gd",
          "zeroth-order steps on all records, along common directions",
          {make_work<ZerothSolver<GdSteps>>, false, SolverFamily::zeroth_order, StateMoves::never}};
}
Row<SolverKind> zeroth_sgd_solver() {
  return {"zeroth-sgd",
          "zeroth-order steps on minibatches, along common directions",
          {make_work<ZerothSolver<SgdSteps>>, true, SolverFamily::zeroth_order, StateMoves::never}};
}

}  // namespace trilemma
