#pragma once
// The law of a coordinate of a random direction, and the choice of the cap of PrivUnit (Bhowmick et
// al. 2018, 1812.00984): a client with unit vector u sends a uniform direction V from the cap <V,u>
// >= g with probability p, and from the rest of the sphere otherwise.

#include "privacy/accountant/local_pair.hpp"

namespace trilemma::accounting {

/// Returns q(g) = P[<V,u> >= g] = I_{1-g^2}((d-1)/2, 1/2) / 2 of a uniform direction V of R^d, for
/// 0 <= g < 1 and d >= 2.
double cap_mass(double dimension, double height);

/// Returns t with P[<V,u> >= t] = mass, 0 < mass < 1.
double cap_height(double dimension, double mass);

/// A cap with the whole budget in use: p (1-q) / (q (1-p)) = e^epsilon.
struct Cap {
  double epsilon = 1;
  double height = 0;  ///< g
  double mass = 0.5;  ///< q
  double inside = 0;  ///< p
  /// Length of E[V]: A(g) (p/q - (1-p)/(1-q)) with A(g) = (1-g^2)^((d-1)/2) / ((d-1) B(1/2,
  /// (d-1)/2)).
  double mean = 0;
};

/// Returns the cap with the longest mean, so that V / mean has the smallest error, 1/mean^2 - 1.
/// Throws std::invalid_argument for dimensions below 2 and epsilon outside (0, 100].
Cap best_cap(double dimension, double epsilon);

/// Returns the dominating pair of a message, that of u and -u: losses +epsilon and -epsilon have
/// the probabilities p and (1-p) q / (1-q).
LocalPair cap_pair(const Cap& cap);

}  // namespace trilemma::accounting
