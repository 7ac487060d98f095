#include "privacy/accountant/round_powers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/accountant/special.hpp"
#include "privacy/accountant/spectrum.hpp"

namespace trilemma::accounting {
namespace {

using Complex = std::complex<double>;
// Powers of the transform below exp(-45) are dropped.
constexpr double negligible_log = -45;

// Returns 1 / (1 - e^(-decay + i angle)) without cancellation.
Complex geometric(double decay, double angle) {
  const double half = std::sin(0.5 * angle);
  const double shrink = std::exp(-decay);
  return 1.0 / Complex(-std::expm1(-decay) + 2 * shrink * half * half, -shrink * std::sin(angle));
}

}  // namespace

RoundPowers::RoundPowers(const std::vector<Repeated>& round, const PowerSpec& spec)
    : points_(spec.points), h_(spec.width / static_cast<double>(spec.points)), tilt_(spec.tilt) {
  Spectrum spectrum(points_, h_, tilt_);
  for (const auto& s : round) {
    const LossGrid grid = discretise(s.pair, {h_, tilt_, s.log_mgf, spec.cut});
    spectrum.multiply(grid, s.steps);
    offset_ += s.steps * grid.offset;
    steps_ += s.steps;
    upper_.infinite += s.steps * grid.infinite;
  }
  upper_.log_scale = spectrum.log_upper();
  lower_.log_scale = spectrum.log_lower();
  keep(spectrum.upper(), spec.least, upper_);
  keep(spectrum.lower(), spec.least, lower_);
}

void RoundPowers::keep(const std::vector<Complex>& transform, double least, Side& side) const {
  for (std::size_t w = 0; w < transform.size(); ++w) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(w) / static_cast<double>(points_);
    const Complex series = geometric(tilt_ * h_, angle);
    const Complex steep = geometric((1 + tilt_) * h_, angle);
    const double weight = w == 0 || 2 * w == points_ ? 1 : 2;
    const double bound = weight * (std::abs(series) + std::abs(steep));
    const double size = transform[w].real();
    if (least * size < negligible_log)
      side.dropped += std::exp(negligible_log) * bound;
    else
      side.frequencies.push_back(
          {w, size, transform[w].imag(), series, steep, weight, bound, std::exp(-size)});
  }
}

// The first grid point above epsilon has index `first` and lies `gap` above it; indices count
// modulo n, so only their phases matter.
RoundPowers::Reading RoundPowers::read(const Side& side, double rounds, double epsilon,
                                       double allowances) const {
  const double start = rounds * offset_;
  const double first = std::floor((epsilon - start) / h_) + 1;
  const double loss = start + first * h_;
  const double decay = std::exp(std::min(0.0, epsilon - loss));
  const auto length = static_cast<double>(points_);
  const auto place =
      static_cast<std::size_t>(std::fmod(std::fmod(first, length) + length, length)) % points_;
  double sum = 0;
  double steep = 0;
  double bound = 0;
  for (const auto& f : side.frequencies) {
    const double size = std::exp(rounds * f.log_size);
    const double angle = rounds * f.angle + 2 * std::numbers::pi *
                                                static_cast<double>(f.number * place % points_) /
                                                length;
    const double re = f.weight * size * std::cos(angle);
    const double im = f.weight * size * std::sin(angle);
    sum += re * f.series.real() - im * f.series.imag();
    steep += re * f.steep.real() - im * f.steep.imag();
    bound += size * f.per_size * f.bound;
  }
  // The error of every transform value is about log2(n) units in the last place of the largest
  // value, which is 1.
  const double rounding = 8 * unit * std::log2(length) * (1 + rounds * steps_) * bound;
  const double fall = decay * steep;
  const double total = sum - fall + allowances * (rounding + side.dropped);
  if (!(total > 0)) return {-inf, -inf};
  const double log_delta = rounds * side.log_scale - tilt_ * loss + std::log(total / length);
  return {allowances * side.infinite > 0 ? log_add(log_delta, std::log(rounds * side.infinite))
                                         : log_delta,
          -fall / total};
}

}  // namespace trilemma::accounting
