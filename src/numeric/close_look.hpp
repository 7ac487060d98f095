#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/support.hpp"
#include "numeric/sum_units.hpp"

namespace trilemma {

/// A second pass over the terms of an ExactSum, for some of its coordinates: it sums the remainders
/// of their values after rounding to the units, however small, and the magnitudes of the rounded
/// parts. Both sums are exact, so they do not depend on the order of the terms. The remainders are
/// summed in layers: the first has a unit 2^digits times smaller than the last unit of the
/// ExactSum, every other layer a unit 2^digits times smaller than that of the layer before.
class CloseLook {
 public:
  /// Starts again with the ascending `coordinates`. A coordinate is dropped once its magnitudes
  /// amount to `enough`.
  void begin(std::vector<std::size_t> coordinates, const SumUnits& units, double enough);
  /// Adds a term, as ExactSum::add() does. Returns whether any coordinates remain.
  bool add(std::size_t first, Support at, ConstView values);
  /// Drops the coordinates of which rounding has lost at most `share` of the magnitudes.
  void drop_harmless(double share);
  void clear() { watched_.clear(); }

  bool is_empty() const { return watched_.empty(); }
  /// Returns the number of coordinates.
  std::size_t count() const { return watched_.size(); }
  /// Returns coordinate `number` of those that remain.
  std::size_t coordinate(std::size_t number) const { return watched_[number].coordinate; }
  /// Returns the number of layers down to the deepest one in use.
  std::size_t depth() const { return 1 + deeper_.size(); }
  /// Returns for each coordinate the sum of magnitudes, by unit, and `depth` layers of remainders:
  /// rows of 2 + depth numbers, which may be added exactly to those of other ranks.
  std::vector<double> table(std::size_t depth) const;

 private:
  struct Watched {
    std::size_t coordinate;
    std::size_t number;  ///< among all coordinates given to begin()
    std::array<double, 2> sizes;
    double first;  ///< the first layer
  };
  /// Adds `value` to the sums of its coordinate, starting with the remainder of the first layer.
  void add_value(Watched& watched, double value);
  /// Adds to the deeper layers of coordinate `number` what the first layer could not hold.
  void keep_deeper(std::size_t number, double left);
  double layer(std::size_t i, const Watched& watched) const;

  std::vector<Watched> watched_;
  std::size_t all_ = 0;  ///< number of coordinates given to begin()
  SumUnits units_;
  double enough_ = 0;
  std::size_t terms_ = 0;
  std::vector<double> shifts_;  ///< for the units of the layers; 0 = of the smallest double
  std::vector<std::vector<double>> deeper_;  ///< layers; empty until a value needs one
};

}  // namespace trilemma
