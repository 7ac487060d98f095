#include "audit/canary.hpp"

#include <algorithm>
#include <cmath>

namespace trilemma {
namespace {

class CanarySource final : public Source {
 public:
  explicit CanarySource(CanaryData data) : data_(std::move(data)) {}
  std::size_t features() const override { return data_.dimension; }
  int classes() const override { return 2; }
  bool sparse() const override { return true; }
  std::size_t rows() const override { return data_.clients * data_.records; }
  std::string description() const override {
    return fmt::format("{} canaries among {} records with zero gradients", data_.canaries.size(),
                       rows());
  }

  TrainTest load(const std::string&, std::uint64_t) const override {
    SparseRows rows;
    rows.columns = data_.dimension;
    rows.start.reserve(this->rows() + 1);
    auto next = data_.canaries.begin();
    for (std::size_t client = 0; client < data_.clients; ++client)
      for (std::size_t record = 0; record < data_.records; ++record) {
        if (next != data_.canaries.end() && next->client == client && next->record == record) {
          rows.column.push_back(next->coordinate);
          rows.value.push_back(static_cast<real>(next->gradient));
          ++next;
        }
        rows.start.push_back(rows.column.size());
      }
    expect(next == data_.canaries.end(), "canaries in ascending order");
    TrainTest out;
    out.train.label.assign(rows.rows(), 1);
    out.train.rows = std::move(rows);
    return out;
  }

 private:
  CanaryData data_;
};

const SparseRows& sparse_rows(const Dataset& data) { return std::get<SparseRows>(data.rows); }

class CanaryProblem final : public Problem {
 public:
  CanaryProblem(std::size_t dimension, bool turning) : dimension_(dimension), turning_(turning) {}
  std::string description() const override { return "canaries with constant gradients"; }
  std::size_t dimension() const override { return dimension_; }
  std::size_t factors() const override { return 1; }
  void check(const Dataset& data) const override {
    expect(data.features() == dimension_, "the dimension of the canaries");
  }

  void load(const Dataset& shard, Coordinates rows, Batch& batch) override {
    batch.shard = &shard;
    batch.rows = rows;
  }
  double linearise(const Batch& batch, ConstView x, View factors, bool with_loss) override {
    std::fill(factors.begin(), factors.end(), real{1});
    if (turning_)
      each_entry(batch, [&](std::size_t i, std::uint32_t column, double) {
        if (x[column] == 0) factors[i] = real{-1};
      });
    double loss = 0;
    if (with_loss)
      each_entry(batch, [&](std::size_t i, std::uint32_t column, double value) {
        loss += static_cast<double>(factors[i]) * value * static_cast<double>(x[column]);
      });
    return loss;
  }
  void norms(const Batch& batch, ConstView factors, std::span<double> norm) override {
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      norm[i] = std::abs(static_cast<double>(factors[i])) * batch.shard->row_norm[batch.rows[i]];
  }
  void scale(View record_factors, double weight) const override {
    record_factors[0] = static_cast<real>(static_cast<double>(record_factors[0]) * weight);
  }
  void accumulate(const Batch& batch, ConstView factors, double weight, View sum) override {
    each_entry(batch, [&](std::size_t i, std::uint32_t column, double value) {
      if (factors[i] != 0)
        sum[column] += static_cast<real>(weight * static_cast<double>(factors[i]) * value);
    });
  }

  double regulariser(ConstView) const override { return 0; }
  void add_regulariser_at(ConstView, Support, View) const override {}
  std::size_t correct(const Batch&, ConstView) override { return 0; }

 private:
  // Calls visit(position in the batch, coordinate, value) for every entry.
  template <class Visit>
  static void each_entry(const Batch& batch, Visit&& visit) {
    const SparseRows& rows = sparse_rows(*batch.shard);
    for (std::size_t i = 0; i < batch.rows.size(); ++i)
      rows.each(batch.rows[i], [&](std::uint32_t column, real value) {
        visit(i, column, static_cast<double>(value));
      });
  }

  std::size_t dimension_;
  bool turning_;
};

}  // namespace

std::unique_ptr<Source> make_canary_source(CanaryData data) {
  return std::make_unique<CanarySource>(std::move(data));
}

std::unique_ptr<Problem> make_canary_problem(std::size_t dimension, bool turning) {
  return std::make_unique<CanaryProblem>(dimension, turning);
}

}  // namespace trilemma
