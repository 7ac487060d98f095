#pragma once

#include <complex>
#include <vector>

#include "privacy/accountant/loss_grid.hpp"

namespace trilemma::accounting {

/// Returns log sum_k mass_k exp(s (offset + index_k h)).
double log_mgf(const LossGrid& grid, const std::vector<double>& mass, double h, double s);

/// Characteristic functions of the pessimistic and the optimistic composed loss, both tilted,
/// computed by one complex FFT per component: the pessimistic masses are the real part, the
/// optimistic ones the imaginary part.
class Spectrum {
 public:
  Spectrum(std::size_t points, double h, double tilt);

  /// Composes with `steps` repetitions of the loss on `grid`; wraps around at `points` grid steps.
  void multiply(const LossGrid& grid, double steps);

  /// Returns the tilted masses of the composed loss by index modulo `points` (real part
  /// pessimistic, imaginary part optimistic).
  std::vector<std::complex<double>> masses() const;
  /// Returns the logarithms of the transform at the frequencies 0 .. points/2.
  const std::vector<std::complex<double>>& upper() const { return upper_; }
  const std::vector<std::complex<double>>& lower() const { return lower_; }
  /// Returns the logarithm of the divisor of the tilted masses.
  double log_upper() const { return log_upper_; }
  double log_lower() const { return log_lower_; }
  /// Returns a bound on the rounding error of one mass: the error of every transform value is about
  /// log2(points) units in the last place, raised to the power of the steps.
  double rounding() const { return rounding_; }

 private:
  std::size_t points_;
  double h_, tilt_;
  double steps_ = 0, log_upper_ = 0, log_lower_ = 0;
  mutable double rounding_ = 0;
  std::vector<std::complex<double>> upper_, lower_;  ///< logarithms, frequencies 0 .. points/2
};

}  // namespace trilemma::accounting
