#include <algorithm>
#include <numeric>

#include "local/estimator.hpp"

namespace trilemma {
namespace {

// SVRG: (1/b) sum_J (g_j(x) - g_j(w)) + (1/m) sum_j g_j(w), records clipped at both points ([SOT]
// algorithm 3, option II). With probability p, by one coin for all clients, the snapshot w becomes
// the model before the step. w is common to all clients, so a process keeps one copy; each client
// keeps its mean at w.
class Svrg final : public GradientWork {
 public:
  explicit Svrg(const LocalSetup& s) : GradientWork(s), mean_(s.shards.size()) {}

  void start(ConstView x) override { take_snapshot(x); }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const Dataset& shard = *s_.shards[slot];
    const std::size_t batch = s_.batch_of(shard);
    s_.sampler->draw(task.key, shard.size(), batch, rows_);
    const double weight = 1.0 / static_cast<double>(batch);
    std::copy(mean_[slot].begin(), mean_[slot].end(), out.begin());
    gradients_.each_block(shard, rows_, [&](std::size_t, std::size_t) {
      gradients_.accumulate(gradients_.compute(task.model), weight, out, task.used);
      gradients_.accumulate(gradients_.compute(snapshot_), -weight, out, task.used);
    });
    return rows_.size();
  }

  void finish_round(ConstView x, const Key& coin) override {
    if (Stream(coin).uniform() < s_.snapshot_probability) take_snapshot(x);
  }

  void persist_common(State& common) override { common.values(snapshot_); }
  void persist(std::size_t slot, State& state) override { state.values(mean_[slot]); }

 private:
  void take_snapshot(ConstView x) {
    snapshot_.assign(x.begin(), x.end());
    for (std::size_t slot = 0; slot < mean_.size(); ++slot) {
      const Dataset& shard = *s_.shards[slot];
      rows_.resize(shard.size());
      std::iota(rows_.begin(), rows_.end(), 0U);
      mean_[slot].assign(x.size(), real{0});
      gradients_.add(shard, rows_, snapshot_, 1.0 / static_cast<double>(shard.size()), mean_[slot]);
    }
  }

  Vector snapshot_;
  std::vector<Vector> mean_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace

Row<EstimatorKind> svrg_estimator() {
  return {
      "svrg",
      "minibatch of differences to a common snapshot, plus the mean at the snapshot",
      {[](const LocalSetup& s) -> std::unique_ptr<LocalWork> { return std::make_unique<Svrg>(s); },
       [](double g, double b, double m) {
         return Sensitivity{.sampled = 2 * g / b, .full = g / m};
       },
       true, true, StateMoves::in_every_round}};
}

}  // namespace trilemma
