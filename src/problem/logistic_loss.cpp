#include "problem/logistic_loss.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "numeric/elementwise.hpp"
#include "problem/kernels/record_factors.hpp"

namespace trilemma {

std::string LogisticLoss::description() const {
  return fmt::format("logistic, d = {}, lambda = {}", features_, s_.lambda);
}

void LogisticLoss::margins(const Batch& batch, ConstView x) {
  const std::size_t count = batch.rows.size();
  if (margin_.size() < count) {
    margin_.resize(count);
    response_.resize(count);
    label_.resize(count);
  }
  find_margins(batch, x);
}

double LogisticLoss::linearise(const Batch& batch, ConstView x, View factors, bool with_loss) {
  margins(batch, x);
  const auto& label = batch.shard->label;
  const std::size_t count = batch.rows.size();
  for (std::size_t i = 0; i < count; ++i) label_[i] = label[batch.rows[i]];
  logistic_factors(label_, label_scale_, label_shift_, margin_, factors.first(count));
  if (!with_loss) return 0;
  logistic_losses(std::span(margin_).first(count), response_);
  return std::accumulate(response_.begin(), response_.begin() + static_cast<std::ptrdiff_t>(count),
                         0.0);
}

void LogisticLoss::norms(const Batch& batch, ConstView factors, std::span<double> norm) {
  lengths(batch, norm);
  for (std::size_t i = 0; i < norm.size(); ++i)
    norm[i] *= std::abs(static_cast<double>(factors[i]));
}

bool LogisticLoss::lengths(const Batch& batch, std::span<double> length) const {
  expect(batch.shard->row_norm.size() == batch.shard->size(), "shard without row norms");
  for (std::size_t i = 0; i < length.size(); ++i) length[i] = batch.shard->row_norm[batch.rows[i]];
  return true;
}

double LogisticLoss::regulariser(ConstView x) const {
  double sum = 0;
  for (const double v : x) sum += v * v / (1.0 + v * v);
  return s_.lambda * sum;
}

void LogisticLoss::add_regulariser_at(ConstView x, Support at, View g) const {
  const real factor = static_cast<real>(2.0 * s_.lambda);
  at.each(x.size(), [&](std::size_t i, std::size_t j) {
    const real q = real{1} + x[j] * x[j];
    g[i] += factor * x[j] / (q * q);
  });
}

std::optional<double> LogisticLoss::smoothness(double largest_norm) const {
  return largest_norm * largest_norm / 4 + 2 * s_.lambda;
}

std::optional<double> LogisticLoss::suboptimality_of_zero() const { return std::numbers::ln2; }

std::size_t LogisticLoss::correct(const Batch& batch, ConstView x) {
  margins(batch, x);
  std::size_t good = 0;
  for (std::size_t i = 0; i < batch.rows.size(); ++i)
    good += (margin_[i] > 0) == (batch.shard->label[batch.rows[i]] > 0) ? 1U : 0U;
  return good;
}

void LogisticLoss::logits(const Batch& batch, ConstView x, View out) {
  margins(batch, x);
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    out[2 * i] = 0;
    out[2 * i + 1] = static_cast<real>(margin_[i]);
  }
}

void LogisticLoss::backpropagate(const Batch& batch, ConstView, ConstView errors, View factors) {
  for (std::size_t i = 0; i < batch.rows.size(); ++i) factors[i] = errors[2 * i + 1];
}

}  // namespace trilemma
