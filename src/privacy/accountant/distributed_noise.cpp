#include "privacy/accountant/distributed_noise.hpp"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "privacy/accountant/composition.hpp"
#include "privacy/accountant/result.hpp"
#include "privacy/accountant/root.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

constexpr double pi = std::numbers::pi;

// Returns P[X = 0] of discrete Gaussian noise: for sigma > 1/2 by Poisson's summation formula.
double discrete_gaussian_centre(double sigma) {
  double sum = 0;
  if (sigma > 0.5) {
    for (int m = 8; m > 0; --m) sum += std::exp(-2 * pi * pi * sigma * sigma * m * m);
    return 1 / (sigma * std::sqrt(2 * pi) * (1 + 2 * sum));
  }
  for (int k = 8; k > 0; --k) sum += std::exp(-0.5 * k * k / (sigma * sigma));
  return 1 / (1 + 2 * sum);
}

// Returns P[X = 0] = e^-V I_0(V) of Skellam noise of variance V: for large V by Hankel's expansion
// (Abramowitz and Stegun 9.7.1).
double skellam_centre(double sigma) {
  const double v = sigma * sigma;
  if (v < 100) return std::exp(-v) * boost::math::cyl_bessel_i(0, v);
  double term = 1;
  double sum = 1;
  for (int m = 1; m <= 14; ++m) sum += term *= (2 * m - 1) * (2 * m - 1) / (8 * m * v);
  return sum / std::sqrt(2 * pi * v);
}

// Returns the first difference 2 z(1), which is mu1 wherever mu1 was computed. There is no proof
// that it always is; so it only guides the search, and unit_shift_mu() decides.
double central_shift_mu(IntegerLaw law, double sigma) {
  const double centre =
      law == IntegerLaw::skellam ? skellam_centre(sigma) : discrete_gaussian_centre(sigma);
  return 2 * boost::math::erf_inv(centre) / sqrt_half;
}

// Returns sigma of the sum with central_shift_mu(sigma) = mu. The product of both is close to 1 and
// changes slowly.
double central_sigma(IntegerLaw law, double mu) {
  double sigma = std::max(1 / mu, least_integer_sigma);
  for (int i = 0; i < 200; ++i) {
    const double next = std::max(sigma * central_shift_mu(law, sigma) / mu, least_integer_sigma);
    const bool close = std::abs(next - sigma) <= 1e-14 * sigma;
    sigma = next;
    if (close) break;
  }
  return sigma;
}

// Returns the number of clients whose noise counts.
double shares_of(const DistributedTask& task) { return task.clients - task.absent; }

// Returns the smallest sigma of the sum, up to a factor of 1 + 1e-9, with unit_shift_mu() <= mu.
double certified_sigma(const DistributedTask& task, double mu) {
  double sigma = central_sigma(task.law, mu);
  for (int i = 0; i < 100; ++i) {
    const double found = unit_shift_mu(SharedNoise{task.law, sigma, shares_of(task)});
    if (found <= mu) return sigma;
    sigma *= std::max(found / mu, 1 + 1e-10);
  }
  throw std::logic_error("no noise was found for the sum of shares");
}

// Returns the variance, or its bound, of a coordinate of the sum of rotated and rounded vectors.
double variance_without_noise(const DistributedTask& task, double scale) {
  const double sum = scale * task.norm * task.clients;
  return task.flatness * sum * sum / task.dimension + task.clients / 4;
}

// Returns the variance of the noise of all clients, `sigma` being that of those that count.
double variance_of_all(const DistributedTask& task, double sigma) {
  return sigma * sigma * task.clients / shares_of(task);
}

// Returns the ratio of k standard deviations of a coordinate to 2^(b-1).
double fill(const DistributedTask& task, double scale) {
  const double b =
      std::sqrt(static_cast<double>(rounding_bound(scale * task.norm, task.dimension)));
  const double sigma = central_sigma(task.law, 1 / (task.multiplier * b));
  return task.wrap * std::sqrt(variance_without_noise(task, scale) + variance_of_all(task, sigma)) /
         std::ldexp(1.0, task.bits - 1);
}

// Returns the largest scale that fits, up to a factor of 1 - 1e-13.
double largest_scale(const DistributedTask& task) {
  // The first term alone fills the range there.
  double high = std::ldexp(1.0, task.bits - 1) / task.wrap *
                std::sqrt(task.dimension / task.flatness) / (task.norm * task.clients);
  double low = 1e-9 * high;
  if (fill(task, low) > 1)
    throw std::invalid_argument("sums of " + shown(task.clients) + " clients do not fit into " +
                                std::to_string(task.bits) +
                                " bits with this noise; use more bits, or a smaller wrap");
  while (high > low * (1 + 1e-13)) {
    const double middle = std::sqrt(low * high);
    if (middle <= low || middle >= high) break;
    (fill(task, middle) <= 1 ? low : high) = middle;
  }
  return low;
}

double wrap_probability(const DistributedTask& task, double scale, double sigma) {
  const double rest = variance_without_noise(task, scale);
  const double range = std::ldexp(1.0, task.bits - 1);
  const double of_noise = variance_of_all(task, sigma);
  const auto exponent = [&](double t) {
    const double half = std::sinh(t / 2);
    const double noise = task.law == IntegerLaw::skellam ? 2 * half * half : t * t / 2;
    return rest * t * t / 2 + of_noise * noise - range * t;
  };
  // Beyond the minimiser for discrete Gaussian noise the exponent of Skellam noise only grows.
  const double most = range / (rest + of_noise);
  const double t = golden_section(exponent, 0, most, 100);
  const double least = std::min(exponent(t), exponent(most));
  return std::min(1.0, 2 * task.dimension * std::exp(least));
}

void check_positive(const char* field, double value) {
  if (value > 0 && std::isfinite(value)) return;
  throw std::invalid_argument(std::string(field) + " = " + shown(value) +
                              ": must be a finite number above 0");
}

void check_task(const DistributedTask& task) {
  check_positive("norm", task.norm);
  check_positive("wrap", task.wrap);
  check_positive("multiplier", task.multiplier);
  if (!(task.clients >= 1 && task.clients <= 1e9))
    throw std::invalid_argument("clients = " + shown(task.clients) + ": must be from 1 to 1e9");
  if (!(task.absent >= 0 && task.absent <= task.clients - 1))
    throw std::invalid_argument("absent = " + shown(task.absent) +
                                ": must be at least 0 and below the number of clients");
  if (!(task.dimension >= 1 && task.dimension <= 1e12))
    throw std::invalid_argument("dimension = " + shown(task.dimension) +
                                ": must be from 1 to 1e12");
  if (!(task.flatness >= 1 && task.flatness <= task.dimension))
    throw std::invalid_argument("flatness = " + shown(task.flatness) +
                                ": must be between 1 and the dimension");
  if (task.bits < 1 || task.bits > 32)
    throw std::invalid_argument("bits = " + std::to_string(task.bits) + ": must be from 1 to 32");
}

}  // namespace

double share_distance(const SharedNoise& noise) {
  if (noise.law == IntegerLaw::skellam) return 0;
  const double variance = noise.sigma * noise.sigma / noise.shares;
  const auto term = [variance](double j) {
    return std::exp(-2 * pi * pi * variance * (j / (j + 1)));
  };
  // The terms fall; the last summed one stands for those that are left.
  constexpr double most_terms = 1e5;
  double sum = 0;
  for (double j = 1; j < noise.shares; ++j) {
    if (j == most_terms) return 10 * (sum + (noise.shares - j) * term(j));
    sum += term(j);
  }
  return 10 * sum;
}

double unit_shift_mu(const SharedNoise& noise) {
  const double tau = share_distance(noise);
  if (tau > most_share_distance)
    throw UnsupportedClaim("the sum of " + shown(noise.shares) + " discrete Gaussians of sigma " +
                           shown(noise.sigma / std::sqrt(noise.shares)) +
                           " is too far from a discrete Gaussian (tau " + shown(tau) +
                           ", at most " + shown(most_share_distance) +
                           "); use Skellam noise or more bits");
  return unit_shift_mu(IntegerNoise{noise.law, noise.sigma}) + 2.51 * tau;
}

double published_renyi(const SharedRelease& release, double order) {
  const double v = release.noise.sigma * release.noise.sigma;
  const double d2 = release.sensitivity;
  const double d1 = d2 * std::min(std::sqrt(release.dimension), d2);
  if (release.noise.law == IntegerLaw::skellam) {
    if (order != std::floor(order) || order < 2)
      throw std::invalid_argument("order = " + shown(order) +
                                  ": the bound of Skellam noise has integer orders from 2 on");
    return order * d2 * d2 / (2 * v) +
           std::min(((2 * order - 1) * d2 * d2 + 6 * d1) / (4 * v * v), 3 * d1 / (2 * v));
  }
  const double tau = share_distance(release.noise);
  return std::min(
      order * d2 * d2 / (2 * v) + tau * release.dimension,
      order / 2 *
          (d2 * d2 / v + 2 * tau * d1 / release.noise.sigma + tau * tau * release.dimension));
}

double published_epsilon(const SharedRelease& release, double steps, double delta) {
  double least = inf;
  for (int order = 2; order <= 256; order = order == 128 ? 256 : order + 1) {
    const double a = order;
    least = std::min(least, steps * published_renyi(release, a) + std::log1p(-1 / a) -
                                (std::log(delta) + std::log(a)) / (a - 1));
  }
  return std::max(0.0, least);
}

std::int64_t rounding_bound(double norm, double dimension) {
  const double root = std::sqrt(dimension);
  // sqrt(2 log(1/beta)) = 1.
  const double bound =
      std::min((norm + root) * (norm + root), norm * norm + dimension / 4 + (norm + root / 2));
  if (!(bound < 0x1p62))
    throw std::invalid_argument("norm = " + shown(norm) + ": its square exceeds 62 bits");
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(bound));
}

namespace {

// Returns `value` rounded to 10 digits by `round` (std::floor or std::ceil), so that processors
// whose elementary functions differ in the last bits agree.
double to_ten_digits(double value, double (*round)(double)) {
  const double unit = std::pow(10, std::floor(std::log10(value)) - 9);
  return round(value / unit) * unit;
}

}  // namespace

DistributedNoise distributed_noise(const DistributedTask& task) {
  check_task(task);
  DistributedNoise out;
  out.scale = to_ten_digits(largest_scale(task), [](double x) { return std::floor(x); });
  out.bound_squared = rounding_bound(out.scale * task.norm, task.dimension);
  const double b = std::sqrt(static_cast<double>(out.bound_squared));
  out.sigma = to_ten_digits(certified_sigma(task, 1 / (task.multiplier * b)),
                            [](double x) { return std::ceil(x); });
  out.share_sigma = out.sigma / std::sqrt(shares_of(task));
  out.shift_mu = unit_shift_mu(SharedNoise{task.law, out.sigma, shares_of(task)});
  out.wrap_probability = wrap_probability(task, out.scale, out.sigma);
  const double sum = out.scale * task.clients;
  out.error = task.dimension * (variance_of_all(task, out.sigma) + task.clients / 4) / (sum * sum);
  return out;
}

}  // namespace trilemma::accounting
