#include "privacy/accountant/spherical_cap.hpp"

#include <boost/math/special_functions/beta.hpp>

#include <cmath>
#include <stdexcept>

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {
namespace {

// Returns log A(g).
double log_moment(double dimension, double height) {
  const double half = (dimension - 1) / 2;
  const double log_beta = std::lgamma(0.5) + std::lgamma(half) - std::lgamma(half + 0.5);
  return half * std::log1p(-height * height) - std::log(dimension - 1) - log_beta;
}

// Returns the cap at a height. With E = e^epsilon, p/q = E / (1 - q + E q) and (1-p)/(1-q) = 1 / (1
// - q + E q).
Cap cap_at(double dimension, double epsilon, double height) {
  const double mass = cap_mass(dimension, height);
  const double sum = 1 + std::expm1(epsilon) * mass;
  return {.epsilon = epsilon,
          .height = height,
          .mass = mass,
          .inside = std::exp(epsilon) * mass / sum,
          .mean = std::exp(log_moment(dimension, height)) * std::expm1(epsilon) / sum};
}

}  // namespace

double cap_mass(double dimension, double height) {
  return 0.5 * boost::math::ibeta((dimension - 1) / 2, 0.5, (1 - height) * (1 + height));
}

double cap_height(double dimension, double mass) {
  const double smaller = std::min(mass, 1 - mass);
  double square = 0;  // of the height, without cancellation
  boost::math::ibeta_inv((dimension - 1) / 2, 0.5, 2 * smaller, &square);
  return std::copysign(std::sqrt(square), 0.5 - mass);
}

Cap best_cap(double dimension, double epsilon) {
  if (!(dimension >= 2))
    throw std::invalid_argument("dimension = " + shown(dimension) + ": must be at least 2");
  if (!(epsilon > 0 && epsilon <= 100))
    throw std::invalid_argument("epsilon = " + shown(epsilon) +
                                ": must be above 0 and at most 100");
  const auto shortness = [&](double height) {
    return std::log1p(std::expm1(epsilon) * cap_mass(dimension, height)) -
           log_moment(dimension, height);
  };
  return cap_at(dimension, epsilon, golden_section(shortness, 0, 1, 60));
}

LocalPair cap_pair(const Cap& cap) {
  return {cap.epsilon, (1 - cap.inside) * (1 - 2 * cap.mass) / (1 - cap.mass)};
}

}  // namespace trilemma::accounting
