#include <algorithm>
#include <numeric>

#include "local/estimator.hpp"

namespace trilemma {
namespace {

// SAGA: (1/b) sum_J (g_j(x) - g_j(w_j)) + (1/m) sum_j g_j(w_j); then w_j becomes x for the records
// drawn ([SOT] algorithm 3, option III). The table holds factors instead of gradients: one real per
// record for a linear model, 2H + C for the network. The mean of the table is kept in double.
class Saga final : public GradientWork {
 public:
  explicit Saga(const LocalSetup& s)
      : GradientWork(s),
        width_(s.problem->factors()),
        table_(s.shards.size()),
        mean_(s.shards.size()) {}

  void start(ConstView x) override {
    for (std::size_t slot = 0; slot < table_.size(); ++slot) {
      const Dataset& shard = *s_.shards[slot];
      table_[slot].assign(shard.size() * width_, real{0});
      mean_[slot].assign(x.size(), 0.0);
      rows_.resize(shard.size());
      std::iota(rows_.begin(), rows_.end(), 0U);
      replace(slot, rows_, x);
    }
  }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const Dataset& shard = *s_.shards[slot];
    const std::size_t batch = s_.batch_of(shard);
    s_.sampler->draw(task.key, shard.size(), batch, rows_);
    const double weight = 1.0 / static_cast<double>(batch);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = static_cast<real>(mean_[slot][j]);
    gradients_.each_block(shard, rows_, [&](std::size_t first, std::size_t count) {
      gradients_.accumulate(gradients_.compute(task.model), weight, out);
      gradients_.accumulate(old(slot, Coordinates(rows_).subspan(first, count)), -weight, out);
    });
    const std::size_t drawn = rows_.size();
    if (s_.sampler->repeats()) {
      std::sort(rows_.begin(), rows_.end());
      rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
    }
    replace(slot, rows_, task.model);
    return drawn;
  }

  void persist(std::size_t slot, State& state) override {
    state.values(table_[slot]);
    state.values(mean_[slot]);
  }

 private:
  // Returns the table's factors of the given records, one after the other.
  ConstView old(std::size_t slot, Coordinates rows) {
    old_.resize(rows.size() * width_);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(table_[slot].begin() + static_cast<std::ptrdiff_t>(rows[i] * width_), width_,
                  old_.begin() + static_cast<std::ptrdiff_t>(i * width_));
    return old_;
  }

  // Sets the table to x for the given records (all different) and updates the mean.
  void replace(std::size_t slot, const std::vector<std::uint32_t>& rows, ConstView x) {
    const Dataset& shard = *s_.shards[slot];
    change_.assign(x.size(), real{0});
    gradients_.each_block(shard, rows, [&](std::size_t first, std::size_t count) {
      const Coordinates part = Coordinates(rows).subspan(first, count);
      gradients_.accumulate(old(slot, part), -1.0, change_);
      const View fresh = gradients_.compute(x);
      gradients_.accumulate(fresh, 1.0, change_);
      for (std::size_t i = 0; i < count; ++i)
        std::copy_n(fresh.begin() + static_cast<std::ptrdiff_t>(i * width_), width_,
                    table_[slot].begin() + static_cast<std::ptrdiff_t>(part[i] * width_));
    });
    const double share = 1.0 / static_cast<double>(shard.size());
    for (std::size_t j = 0; j < x.size(); ++j)
      mean_[slot][j] += share * static_cast<double>(change_[j]);
  }

  std::size_t width_;
  std::vector<Vector> table_;
  std::vector<std::vector<double>> mean_;
  Vector old_, change_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace

Row<EstimatorKind> saga_estimator() {
  return {
      "saga",
      "minibatch of differences to each record's last gradient, plus the table's mean",
      {[](const LocalSetup& s) -> std::unique_ptr<LocalWork> { return std::make_unique<Saga>(s); },
       [](double g, double b, double m) {
         return Sensitivity{.sampled = 2 * g / b, .full = g / m};
       },
       true, false, StateMoves::with_participation, true}};
}

}  // namespace trilemma
