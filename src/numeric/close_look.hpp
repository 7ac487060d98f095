#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/support.hpp"
#include "numeric/sum_units.hpp"

namespace trilemma {

/// A second look at the terms of an ExactSum, for some of its coordinates: what rounding to the
/// units leaves of their values, however small that is, and the sizes of what it keeps. Both are
/// summed exactly, so that they do not depend on the order of the terms. What is left is summed in
/// layers: the first counts in a unit 2^digits times smaller than the last one of the ExactSum,
/// every other in one 2^digits times smaller than that of the layer before.
class CloseLook {
 public:
  /// Starts again, for these coordinates, ascending. Those for which the sizes amount to `enough`
  /// are left out from then on.
  void begin(std::vector<std::size_t> coordinates, const SumUnits& units, double enough);
  /// Adds a term, as ExactSum::add(). Returns whether there are still coordinates to look at.
  bool add(std::size_t first, Support at, ConstView values);
  /// Leaves out the coordinates of which rounding has taken at most `share` of the sizes.
  void drop_harmless(double share);
  void clear() { watched_.clear(); }

  bool is_empty() const { return watched_.empty(); }
  /// Returns the number of coordinates.
  std::size_t count() const { return watched_.size(); }
  /// Returns one of them.
  std::size_t coordinate(std::size_t number) const { return watched_[number].coordinate; }
  /// Returns the number of layers down to the deepest one in use.
  std::size_t depth() const { return 1 + deeper_.size(); }
  /// Returns for each coordinate the sum of sizes, by unit, and `depth` layers of what is left:
  /// rows of 2 + depth numbers, which may be added to those of others exactly.
  std::vector<double> table(std::size_t depth) const;

 private:
  struct Watched {
    std::size_t coordinate;
    std::size_t number;  ///< among all with which this look began
    std::array<double, 2> sizes;
    double first;  ///< layer
  };
  void add_value(Watched& watched, double value);
  void keep_deeper(std::size_t number, double left);
  double layer(std::size_t i, const Watched& watched) const;

  std::vector<Watched> watched_;
  std::size_t all_ = 0;  ///< coordinates with which this look began
  SumUnits units_;
  double enough_ = 0;
  std::size_t terms_ = 0;
  std::vector<double> shifts_;  ///< for the units of the layers; 0 = of the smallest double
  std::vector<std::vector<double>> deeper_;  ///< layers; empty until a value needs one
};

}  // namespace trilemma
