#include "problem/deep_classifier.hpp"

#include <algorithm>
#include <utility>

#include "problem/cross_entropy.hpp"

namespace trilemma {
namespace {

std::size_t label(const Batch& batch, std::size_t record) {
  return static_cast<std::size_t>(batch.shard->label[batch.rows[record]]);
}

}  // namespace

double DeepClassifier::linearise(const Batch& batch, ConstView x, View factors, bool with_loss) {
  const std::size_t count = batch.rows.size();
  if (count == 0) return 0;
  coins_ = batch.coins;
  block_ = batch.block;
  forward(batch, x, factors);
  double loss = 0;
  for (std::size_t r = 0; r < count; ++r)
    loss += cross_entropy_errors(record(factors, r).last(classes_), label(batch, r), with_loss);
  backward(x, factors, count);
  return loss;
}

// Passes forward only.
double DeepClassifier::loss(const Batch& batch, ConstView x, View factors) {
  forward(batch, x, factors);
  double loss = 0;
  for (std::size_t r = 0; r < batch.rows.size(); ++r)
    loss += cross_entropy(record(ConstView(factors), r).last(classes_), label(batch, r));
  return loss;
}

void DeepClassifier::logits(const Batch& batch, ConstView x, View out) {
  Vector values(batch.rows.size() * factors_);
  forward(batch, x, values);
  for (std::size_t r = 0; r < batch.rows.size(); ++r) {
    const ConstView last = record(ConstView(values), r).last(classes_);
    std::copy(last.begin(), last.end(), out.subspan(r * classes_).begin());
  }
}

void DeepClassifier::backpropagate(const Batch& batch, ConstView x, ConstView errors,
                                   View factors) {
  const std::size_t count = batch.rows.size();
  coins_.reset();
  forward(batch, x, factors);
  for (std::size_t r = 0; r < count; ++r) {
    const ConstView e = errors.subspan(r * classes_, classes_);
    std::copy(e.begin(), e.end(), record(factors, r).last(classes_).begin());
  }
  backward(x, factors, count);
}

ConstMatrixView DeepClassifier::seen(std::size_t layer, std::size_t layers, ConstMatrixView values,
                                     bool is_non_negative, Vector& room) const {
  if (!low_.covers(layer, layers)) return values;
  const auto rows = static_cast<std::size_t>(values.rows());
  const auto columns = static_cast<std::size_t>(values.cols());
  room.resize(rows * columns);
  MatrixView copy = matrix(room.data(), rows, columns, columns);
  copy = values;
  quantise_levels(copy, low_.bits, is_non_negative);
  return matrix(std::as_const(room).data(), rows, columns, columns);
}

void DeepClassifier::round_derivatives(std::size_t layer, std::size_t layers,
                                       MatrixView derivatives) {
  if (!coins_ || !low_.covers(layer, layers)) return;
  const auto part = static_cast<std::uint32_t>(block_ * layers + layer);
  quantise_derivatives(derivatives, *coins_, part, words_);
}

std::size_t DeepClassifier::correct(const Batch& batch, ConstView x) {
  const std::size_t count = batch.rows.size();
  if (count == 0) return 0;
  Vector values(count * factors_);
  forward(batch, x, values);
  std::size_t good = 0;
  for (std::size_t r = 0; r < count; ++r)
    good += likeliest(record(ConstView(values), r).last(classes_)) == label(batch, r);
  return good;
}

}  // namespace trilemma
