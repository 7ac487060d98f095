#include "privacy/accountant/integer_noise.hpp"

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Error of a difference z(j) - z(j-1) by rounding: z <= 14 is accurate to a few units in the last
// place, and the tails to 1e-15 next to each other.
constexpr double z_rounding = 2e-14;
// From here on the proof of unit_shift_mu() replaces the sum of tails.
constexpr double closed_form_sigma = 1024;

void check_sigma(const IntegerNoise& noise, double most) {
  if (noise.sigma >= least_integer_sigma && noise.sigma <= most) return;
  throw std::invalid_argument(std::string("sigma of ") + name(noise.law) + " noise is " +
                              shown(noise.sigma) + "; it must be between " +
                              shown(least_integer_sigma) + " and " + shown(most));
}

// Returns an integer k with P[X >= k] < 1e-70 by Chernoff's bound: exp(-k^2 / (2 sigma^2)) for
// discrete Gaussian noise, exp(V (sqrt(1 + u^2) - 1) - k asinh(u)), u = k / V, for Skellam noise.
// Terms beyond k change sums and ratios at 1e-40 by less than 1e-25.
std::int64_t far_away(const IntegerNoise& noise) {
  constexpr double wanted = 162;
  const double v = noise.sigma * noise.sigma;
  double k = noise.sigma * std::sqrt(2 * wanted);
  if (noise.law == IntegerLaw::skellam) {
    const auto exponent = [v](double at) {
      const double u = at / v;
      return at * std::asinh(u) - v * (u * u / (std::sqrt(1 + u * u) + 1));
    };
    while (exponent(k) < wanted) k *= 1.125;
  }
  // Laws of small sigma fall from above the floor to far below it in one step.
  return static_cast<std::int64_t>(std::ceil(k)) + 16;
}

// Returns the masses of k = 0, ..., most up to a common factor.
std::vector<long double> relative_masses(const IntegerNoise& noise, std::int64_t most) {
  std::vector<long double> mass(static_cast<std::size_t>(most) + 1);
  const long double v = static_cast<long double>(noise.sigma) * noise.sigma;
  if (noise.law == IntegerLaw::discrete_gaussian) {
    for (std::size_t k = 0; k < mass.size(); ++k) {
      const auto at = static_cast<long double>(k);
      mass[k] = std::exp(-at * at / (2 * v));
    }
    return mass;
  }
  // Downward, in the form of ratios r_k = I_{k+1} / I_k = 1 / (2 (k+1) / V + r_{k+1}), since sums
  // of unscaled terms could overflow.
  long double ratio = 0;
  for (std::size_t k = mass.size(); k-- > 1;) {
    ratio = 1 / (2 * static_cast<long double>(k) / v + ratio);
    mass[k] = ratio;
  }
  mass[0] = 1;
  for (std::size_t k = 1; k < mass.size(); ++k) mass[k] *= mass[k - 1];
  return mass;
}

}  // namespace

const char* name(IntegerLaw law) {
  switch (law) {
    case IntegerLaw::discrete_gaussian:
      return "discrete_gaussian";
    case IntegerLaw::skellam:
      break;
  }
  return "skellam";
}

IntegerTails::IntegerTails(const IntegerNoise& noise) {
  check_sigma(noise, most_integer_sigma);
  const std::vector<long double> mass = relative_masses(noise, far_away(noise));
  std::vector<long double> tail(mass.size());
  long double sum = 0;
  for (std::size_t k = mass.size(); k-- > 0;) tail[k] = sum += mass[k];
  const long double all = tail[0] + tail[1];
  std::size_t last = 0;
  while (tail[last] / all >= tail_floor) ++last;
  for (std::size_t k = 0; k <= last; ++k) {
    mass_.push_back(static_cast<double>(mass[k] / all));
    tail_.push_back(static_cast<double>(tail[k] / all));
  }
}

double IntegerTails::log_mass(std::int64_t k) const {
  return std::log(mass_.at(static_cast<std::size_t>(std::abs(k))));
}

double IntegerTails::log_tail(std::int64_t j) const {
  if (j > 0) return std::log(tail_.at(static_cast<std::size_t>(j)));
  return std::log1p(-tail_.at(static_cast<std::size_t>(1 - j)));
}

double IntegerTails::shift_mu() const {
  // The first is small if sigma is large, and 1/2 - tail would cancel.
  double z =
      mass_[0] < 0.5 ? boost::math::erf_inv(mass_[0]) / sqrt_half : normal_upper_quantile(tail_[1]);
  double most = 2 * z;
  for (std::size_t j = 2; j < tail_.size(); ++j) {
    const double next = normal_upper_quantile(tail_[j]);
    most = std::max(most, next - z);
    z = next;
  }
  return most + z_rounding;
}

double unit_shift_mu(const IntegerNoise& noise) {
  if (noise.law == IntegerLaw::discrete_gaussian && noise.sigma > closed_form_sigma) {
    check_sigma(noise, 1e100);
    return 1 / std::sqrt(noise.sigma * noise.sigma - 5);
  }
  return IntegerTails(noise).shift_mu();
}

double gaussian_multiplier(double shift_mu, double sensitivity) {
  return 1 / (shift_mu * sensitivity);
}

double tail_remainder(double draws, double epsilon) {
  return 2 * draws * tail_floor * (1 + std::exp(epsilon));
}

}  // namespace trilemma::accounting
