#pragma once

#include "problem/problem.hpp"

namespace trilemma {

/// A problem with batch normalisation (Ioffe and Szegedy 2015): its layers normalise each channel
/// by its mean and variance over the batch, so that the loss of a record depends on the records
/// that are processed with it. Scores use fixed statistics instead.
class BatchNormalised {
 public:
  virtual ~BatchNormalised() = default;
  /// Returns the number of channels that are normalised, of all layers together.
  virtual std::size_t normalised_channels() const = 0;
  /// Returns the number of training records of a client that give the statistics for scores.
  virtual std::size_t statistics_records() const = 0;
  /// Sets the first half of `found` to the means over the batch at x, by channel, and the second
  /// half to the means of the squares.
  virtual void measure_statistics(const Batch& batch, ConstView x, std::span<double> found) = 0;
  /// Lets logits use these means, and variances after them, until called with an empty view.
  virtual void use_statistics(ConstView means_and_variances) = 0;
};

}  // namespace trilemma
