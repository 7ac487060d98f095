#include <algorithm>
#include <cmath>

#include "local/estimator.hpp"
#include "numeric/lanes.hpp"

namespace trilemma {
namespace {

// Anchors and later rounds of local/recursion.hpp. The model of the round before is public and the
// same for all clients, so a process keeps one copy.
class Recursive final : public GradientWork {
 public:
  using GradientWork::GradientWork;

  void start(ConstView x) override { previous_.assign(x.begin(), x.end()); }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const Dataset& shard = *s_.shards[slot];
    const Recursion& r = s_.recursion;
    is_later_ = !r.is_anchor(task.key.round) && r.remembers();
    const bool is_anchor = r.is_anchor(task.key.round) && r.anchor_batch > 0;
    const std::size_t batch = is_anchor
                                  ? std::min(static_cast<std::size_t>(r.anchor_batch), shard.size())
                                  : s_.batch_of(shard);
    s_.sampler->draw(task.key, shard.size(), batch, rows_);
    const double weight = 1.0 / static_cast<double>(batch);
    std::fill(out.begin(), out.end(), real{0});
    if (!is_later_)
      gradients_.add(shard, rows_, task.model, weight, out, {}, task.used);
    else if (r.lipschitz)
      add_bounded(shard, task.model, weight, out);
    else
      add_difference(shard, task.model, weight, out);
    return rows_.size();
  }

  double noise_factor(std::uint32_t round, ConstView x) override {
    const Recursion& r = s_.recursion;
    if (r.is_anchor(round)) return 1;
    if (!r.remembers()) return s_.later_noise;
    const double g = s_.record_bound.threshold;
    return s_.later_noise * (r.reach(g, moved(x)) / g);
  }

  // Adds grad r(x) - (1 - a) grad r(x') of the regulariser r.
  void add_public(ConstView x, Support at, View out) const override {
    s_.problem->add_regulariser_at(x, at, out);
    if (!is_later_) return;
    regulariser_.assign(out.size(), real{0});
    s_.problem->add_regulariser_at(previous_, at, regulariser_);
    const auto kept = static_cast<real>(1 - s_.recursion.fresh);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] -= kept * regulariser_[i];
  }

  void finish_round(ConstView x, const Key&) override { previous_.assign(x.begin(), x.end()); }
  void persist_common(State& common) override { common.values(previous_); }

 private:
  // Sums at both points separately, so that the difference is exactly 0 where x has not moved.
  void add_difference(const Dataset& shard, ConstView x, double weight, View out) {
    gradients_.add(shard, rows_, x, weight, out);
    old_.assign(out.size(), real{0});
    gradients_.add(shard, rows_, previous_, weight, old_);
    const auto kept = static_cast<real>(1 - s_.recursion.fresh);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] -= kept * old_[j];
  }

  // Clips the difference of each record before the sum, so that rounding errors are small relative
  // to the clipped differences.
  void add_bounded(const Dataset& shard, ConstView x, double weight, View out) {
    const Recursion& r = s_.recursion;
    const double bound = r.difference_bound(s_.record_bound.threshold, moved(x));
    const auto fresh = static_cast<real>(weight * r.fresh);
    const auto kept = static_cast<real>(weight * (1 - r.fresh));
    for (const std::uint32_t row : rows_) {
      new_.assign(out.size(), real{0});
      old_.assign(out.size(), real{0});
      gradients_.add(shard, {&row, 1}, x, 1, new_);
      gradients_.add(shard, {&row, 1}, previous_, 1, old_);
      for (std::size_t j = 0; j < out.size(); ++j) old_[j] = new_[j] - old_[j];
      clip(old_, bound);
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += fresh * new_[j] + kept * old_[j];
    }
  }

  // Returns |x - x'|.
  double moved(ConstView x) {
    change_.resize(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) change_[j] = x[j] - previous_[j];
    return euclidean_norm(ConstView(change_));
  }

  bool is_later_ = false;  ///< whether the current round takes differences
  Vector previous_;        ///< x'
  Vector new_, old_, change_;
  mutable Vector regulariser_;  ///< of x', kept from round to round to save its allocation
  std::vector<std::uint32_t> rows_;
};

}  // namespace

Row<EstimatorKind> recursive_estimator() {
  return {"recursive",
          "minibatch of gradients at anchors, of differences to the previous model in between",
          {[](const LocalSetup& s) -> std::unique_ptr<LocalWork> {
             return std::make_unique<Recursive>(s);
           },
           [](double g, double b, double) { return Sensitivity{.sampled = g / b}; }, true, false,
           StateMoves::never}};
}

}  // namespace trilemma
