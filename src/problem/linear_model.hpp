#pragma once

#include "problem/problem.hpp"

namespace trilemma {

/// A problem that depends on a record only through its c margins z = a^T W (+ b): the factors of a
/// record are the derivatives of its loss with respect to them, and its regulariser is l2/2 |x|^2.
/// Several gradient steps on few records can therefore be computed in the span of these records.
class LinearModel : public Problem {
 public:
  /// Returns c, which equals factors().
  virtual std::size_t outputs() const = 0;
  /// Returns the weight of the regulariser.
  virtual double l2() const = 0;
  /// Writes the margins z (rows x c) at x.
  virtual void margins(const Batch& batch, ConstView x, View z) = 0;
  /// Replaces margins by factors. The margins of output o start at o * stride, one per record, so
  /// that several records are processed at once; the stride is a multiple of span_lanes
  /// (span_product.hpp), and the padding is overwritten.
  virtual void respond(const Batch& batch, View z, std::size_t stride) = 0;
  /// Writes the scalar products of all pairs of records, including that of a constant feature (rows
  /// x rows).
  virtual void gram(const Batch& batch, View products) = 0;

  LinearModel* as_linear_model() final { return this; }
};

}  // namespace trilemma
