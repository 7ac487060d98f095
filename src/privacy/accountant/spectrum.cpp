#include "privacy/accountant/spectrum.hpp"

#include <kissfft/kissfft.hh>

#include <algorithm>
#include <cmath>

#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

using Complex = std::complex<double>;
// Transform values below exp(-100) are treated as zero.
constexpr double negligible_magnitude = -100;

// Adds steps * log(value / exp(top)) to `log`.
void add_power(Complex& log, const Complex& value, double top, double steps) {
  if (log.real() < negligible_magnitude) return;
  const double square = std::norm(value);
  const double size = square > 0 ? 0.5 * std::log(square) - top : -inf;
  const double magnitude = log.real() + steps * std::min(0.0, size);
  log = magnitude < negligible_magnitude
            ? Complex(-inf, 0)
            : Complex(magnitude, log.imag() + steps * std::atan2(value.imag(), value.real()));
}

Complex exponential(const Complex& log) {
  return log.real() < negligible_magnitude ? Complex()
                                           : std::polar(std::exp(log.real()), log.imag());
}

}  // namespace

double log_mgf(const LossGrid& grid, const std::vector<double>& mass, double h, double s) {
  double most = -inf;
  for (std::size_t k = 0; k < mass.size(); ++k)
    if (mass[k] > 0)
      most = std::max(most, s * static_cast<double>(grid.index[k]) * h + std::log(mass[k]));
  double sum = 0;
  for (std::size_t k = 0; k < mass.size(); ++k)
    if (mass[k] > 0)
      sum += std::exp(s * static_cast<double>(grid.index[k]) * h + std::log(mass[k]) - most);
  return s * grid.offset + most + std::log(sum);
}

Spectrum::Spectrum(std::size_t points, double h, double tilt)
    : points_(points), h_(h), tilt_(tilt), upper_(points / 2 + 1), lower_(points / 2 + 1) {}

void Spectrum::multiply(const LossGrid& grid, double steps) {
  const double norm_upper = log_mgf(grid, grid.upper, h_, tilt_);
  const double norm_lower = log_mgf(grid, grid.lower, h_, tilt_);
  std::vector<Complex> tilted(points_);
  const auto length = static_cast<long>(points_);
  for (std::size_t k = 0; k < grid.index.size(); ++k) {
    const double exponent = tilt_ * (grid.offset + static_cast<double>(grid.index[k]) * h_);
    auto weight = [exponent](double mass, double log_norm) {
      return mass > 0 ? std::exp(exponent + std::log(mass) - log_norm) : 0.0;
    };
    const long place = ((grid.index[k] % length) + length) % length;
    tilted[static_cast<std::size_t>(place)] +=
        Complex(weight(grid.upper[k], norm_upper), weight(grid.lower[k], norm_lower));
  }
  std::vector<Complex> transform(points_);
  const kissfft<double> forward(points_, false);
  forward.transform(tilted.data(), transform.data());
  // Dividing by the transform at frequency 0, which is 1 up to rounding, keeps that rounding error
  // from being raised to the power of the steps.
  const double top_upper = std::log(transform[0].real());
  const double top_lower = std::log(transform[0].imag());
  for (std::size_t w = 0; w < upper_.size(); ++w) {
    const Complex z = transform[w];
    const Complex mirrored = std::conj(transform[w == 0 ? 0 : points_ - w]);
    const Complex twice = z - mirrored;
    add_power(upper_[w], 0.5 * (z + mirrored), top_upper, steps);
    add_power(lower_[w], {0.5 * twice.imag(), -0.5 * twice.real()}, top_lower, steps);
  }
  log_upper_ += steps * norm_upper;
  log_lower_ += steps * norm_lower;
  steps_ += steps;
}

std::vector<Complex> Spectrum::masses() const {
  std::vector<Complex> product(points_);
  double sum_upper = 0;
  double sum_lower = 0;
  for (std::size_t w = 0; w < upper_.size(); ++w) {
    const Complex a = exponential(upper_[w]);
    const Complex b = exponential(lower_[w]);
    sum_upper += std::abs(a);
    sum_lower += std::abs(b);
    product[w] = {a.real() - b.imag(), a.imag() + b.real()};
    if (w > 0 && 2 * w < points_) product[points_ - w] = {a.real() + b.imag(), b.real() - a.imag()};
  }
  const auto length = static_cast<double>(points_);
  rounding_ = 4 * unit * std::sqrt(std::log2(length)) * (1 + steps_) * 2 *
              std::max(sum_upper, sum_lower) / length;
  std::vector<Complex> masses(points_);
  const kissfft<double> backward(points_, true);
  backward.transform(product.data(), masses.data());
  for (auto& mass : masses) mass /= length;
  return masses;
}

}  // namespace trilemma::accounting
