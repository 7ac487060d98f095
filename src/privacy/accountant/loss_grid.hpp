#pragma once

#include <vector>

#include "privacy/accountant/loss_atoms.hpp"

namespace trilemma::accounting {

/// Location and spacing of the discretisation of a privacy loss.
struct GridSpec {
  double step;        ///< h: spacing of the loss grid
  double tilt;        ///< exponential tilt of the composed distribution: where accuracy is needed
  double log_mgf;     ///< log E_P[exp(tilt L)], approximately
  double tail;        ///< probability that may be cut off at each end
  double growth = 0;  ///< largest s for which E[exp(s L)] is read from the grid, if above the tilt
  double decay = 0;   ///< largest s for which E[exp(-s L)] is read from the grid
};

/// Distribution of the privacy loss of one step under P, moved to a grid in two ways. With y =
/// e^-L, delta is the mean of a decreasing convex function of y, so spreading y (keeping its mean)
/// can only increase it, and contracting or increasing y can only decrease it.
struct LossGrid {
  double offset = 0;          ///< losses are offset + index h
  std::vector<long> index;    ///< grid indices that carry mass, ascending
  std::vector<double> upper;  ///< pessimistic masses: connect-the-dots (Doroshenko et al. 2022)
  std::vector<double> lower;  ///< optimistic masses, see discretise()
  double infinite = 0;        ///< pessimistic mass at an infinite loss
};

/// Discretises the loss of `pair`. Pessimistic: the mass of every interval is distributed to its
/// two ends so that both its P and its Q probability are kept; this interpolates delta linearly in
/// e^epsilon. Optimistic: the largest convex function below the chords that lie under the tangents
/// of delta at the middles of the intervals; its kinks are grid points. Both errors are O(h^2).
/// Throws std::length_error if the step needs too many cells.
LossGrid discretise(const StepPair& pair, const GridSpec& spec);

}  // namespace trilemma::accounting
