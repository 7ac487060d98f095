#include <algorithm>
#include <numeric>

#include "local/estimator.hpp"

namespace trilemma {
namespace {

// (1/b) times the sum of the gradients of the minibatch's records at x ([SOT] algorithm 3, option
// I). The divisor is the public constant b, not the number drawn. GD is SGD on all records of the
// shard.
template <bool all>
class Sgd final : public GradientWork {
 public:
  using GradientWork::GradientWork;

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const Dataset& shard = *s_.shards[slot];
    prefetch_after(slot);
    if constexpr (all) {
      rows_.resize(shard.size());
      std::iota(rows_.begin(), rows_.end(), 0U);
    } else {
      s_.sampler->draw(task.key, shard.size(), s_.batch_of(shard), rows_);
    }
    const std::size_t divisor = all ? shard.size() : s_.batch_of(shard);
    std::fill(out.begin(), out.end(), real{0});
    gradients_.add(shard, rows_, task.model, 1.0 / static_cast<double>(divisor), out, {},
                   task.used);
    return rows_.size();
  }

 private:
  std::vector<std::uint32_t> rows_;
};

}  // namespace

Row<EstimatorKind> sgd_estimator() {
  return {"sgd",
          "mean of the minibatch's gradients",
          {[](const LocalSetup& s) -> std::unique_ptr<LocalWork> {
             return std::make_unique<Sgd<false>>(s);
           },
           [](double g, double b, double) { return Sensitivity{.sampled = g / b}; }, true, false,
           StateMoves::never}};
}

Row<EstimatorKind> gd_estimator() {
  return {"gd",
          "mean of all gradients of the shard",
          {[](const LocalSetup& s) -> std::unique_ptr<LocalWork> {
             return std::make_unique<Sgd<true>>(s);
           },
           [](double g, double, double m) { return Sensitivity{.full = g / m}; }, false, false,
           StateMoves::never}};
}

}  // namespace trilemma
