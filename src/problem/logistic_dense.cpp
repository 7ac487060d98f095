#include <algorithm>

#include "problem/kernels/product.hpp"
#include "problem/logistic_loss.hpp"

namespace trilemma {
namespace {

// Logistic loss on dense records, whose margins A x and sums of gradients A^T c are matrix-vector
// products.
class DenseLogistic final : public LogisticLoss {
 public:
  DenseLogistic(LogisticSettings s, std::size_t features)
      : LogisticLoss(s, features, Labels::classes) {}

  void check(const Dataset& data) const override {
    check_dense(data, features_, "logistic");
    require(data.classes == 2,
            "problem.kind = \"logistic\": needs records of two classes, and these have {}; choose "
            "softmax",
            data.classes);
  }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.gather(shard, rows);
  }

  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    MatrixView g = matrix(sum.data(), 1, features_, features_);
    each_part(batch, [&](const ConstMatrixView& a, std::size_t first) {
      const auto count = static_cast<std::size_t>(a.rows());
      add_transpose_product(static_cast<real>(weight), matrix(factors.data() + first, count, 1, 1),
                            a, g);
    });
  }

 protected:
  void find_margins(const Batch& batch, ConstView x) override {
    const ConstMatrixView model = matrix(x.data(), 1, features_, features_);
    each_part(batch, [&](const ConstMatrixView& a, std::size_t first) {
      const auto count = static_cast<std::size_t>(a.rows());
      part_.resize(count);
      product_with_transpose(a, model, matrix(part_.data(), count, 1, 1));
      std::copy(part_.begin(), part_.end(), margin_.begin() + static_cast<std::ptrdiff_t>(first));
    });
  }

 private:
  // Calls visit(features, first record) for parts of the batch that fit the cache.
  template <class Visit>
  void each_part(const Batch& batch, Visit&& visit) const {
    constexpr std::size_t records = 32;
    for (std::size_t first = 0; first < batch.rows.size(); first += records) {
      const std::size_t count = std::min(records, batch.rows.size() - first);
      visit(matrix(batch.dense.data() + first * features_, count, features_, features_), first);
    }
  }

  Vector part_;  ///< margins of a part
};

}  // namespace

std::unique_ptr<Problem> make_dense_logistic(LogisticSettings s, std::size_t features) {
  return std::make_unique<DenseLogistic>(s, features);
}

}  // namespace trilemma
