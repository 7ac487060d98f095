#include "privacy/accountant/loss_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/special.hpp"
#include "privacy/accountant/spectrum.hpp"

namespace trilemma::accounting {
namespace {

// The range of tilted masses and their factors is wide if delta is tiny or the window large; long
// double covers all of it.
long double wide_exp(double exponent) {
  return std::exp(static_cast<long double>(std::clamp(exponent, -11000.0, 11000.0)));
}
double probability(double log_value) { return std::exp(std::min(0.0, log_value)); }

}  // namespace

// Mass above the window is wrapped around to its lower end, where it counts less or not at all; the
// pessimistic side must allow for this loss. Mass that is wrapped around to above epsilon matters
// only to the optimistic side: mass below the window, and mass more than (epsilon - first) above
// it.
LossDistribution::LossDistribution(const std::vector<Repeated>& steps, double tilt,
                                   const Window& window, std::size_t points, double cut)
    : h_((window.last - window.first) / static_cast<double>(points)),
      tilt_(tilt),
      centre_(0.5 * (window.first + window.last)) {
  Spectrum spectrum(points, h_, tilt);
  lower_.sign = -1;
  double offset = 0;
  double log_above = -window.theta_above * window.last;
  double log_below = window.s_below * window.first;
  double log_beyond = -window.s_wrapped * (window.last + std::max(0.0, window.seek - window.first));
  const double growth = std::max(window.theta_above, tilt + window.s_wrapped);
  const double decay = std::max(0.0, window.s_below - tilt);
  for (const auto& s : steps) {
    const LossGrid grid = discretise(s.pair, {h_, tilt, s.log_mgf, cut, growth, decay});
    spectrum.multiply(grid, s.steps);
    const double centre = log_mgf(grid, grid.lower, h_, tilt);
    log_above += s.steps * log_mgf(grid, grid.upper, h_, window.theta_above);
    log_below += s.steps * (log_mgf(grid, grid.lower, h_, tilt - window.s_below) - centre);
    log_beyond += s.steps * (log_mgf(grid, grid.lower, h_, tilt + window.s_wrapped) - centre);
    offset += s.steps * grid.offset;
    upper_.outside += s.steps * grid.infinite;
  }
  upper_.outside += probability(log_above);
  lower_.wrapped = probability(log_below) + probability(log_beyond);

  // The window begins at the grid point nearest to its requested start.
  const auto masses = spectrum.masses();
  rounding_ = spectrum.rounding();
  const double start = std::round((window.first - offset) / h_);
  const auto length = static_cast<double>(points);
  first_ = offset + start * h_;
  upper_.log_scale = spectrum.log_upper() - tilt * centre_;
  lower_.log_scale = spectrum.log_lower() - tilt * centre_;
  const auto shift = static_cast<std::size_t>(std::fmod(std::fmod(start, length) + length, length));
  for (std::size_t k = 0; k < points; ++k) {
    const auto& mass = masses[(k + shift) % points];
    upper_.mass.push_back(std::max(0.0, mass.real()) + rounding_);
    lower_.mass.push_back(std::max(0.0, mass.imag() - rounding_));
  }
}

long double LossDistribution::untilt(double loss) const {
  return wide_exp(-tilt_ * (loss - centre_));
}

Bracket LossDistribution::allowance(double epsilon) const {
  const auto count = static_cast<double>(upper_.mass.size());
  const double rounding = rounding_ * std::min(count, 1 / std::max(h_ * tilt_, 1e-300));
  const long double factor = untilt(epsilon);
  return {lower_.outside + static_cast<double>(wide_exp(lower_.log_scale) * factor *
                                               (lower_.wrapped + rounding)),
          upper_.outside + static_cast<double>(wide_exp(upper_.log_scale) * factor * rounding)};
}

// Returns the sum over l > epsilon of mass(l) exp(-tilt (l - centre)) (1 - exp(epsilon - l)), with
// allowances.
double LossDistribution::delta(const Side& side, double epsilon) const {
  long double sum = side.sign * side.wrapped * untilt(epsilon);
  const long double step_untilt = std::exp(static_cast<long double>(tilt_ * h_));
  long double factor = untilt(loss(side.mass.size() - 1));
  for (std::size_t k = side.mass.size(); k-- > 0 && loss(k) > epsilon; factor *= step_untilt)
    sum += side.mass[k] * factor * -std::expm1(epsilon - loss(k));
  const long double total = wide_exp(side.log_scale) * sum + side.sign * side.outside;
  return static_cast<double>(std::clamp(total, 0.0L, 1.0L));
}

// Moves down from the top of the window. At loss l_k, D is the sum above over the points beyond
// l_k, and B is the same sum with exp(l_k - l) as the last factor; both follow without cancellation
// from their values one point higher.
double LossDistribution::epsilon(const Side& side, double delta) const {
  const long double target =
      (static_cast<long double>(delta) - side.sign * side.outside) * wide_exp(-side.log_scale);
  const double decay = std::exp(-h_);
  const double share = -std::expm1(-h_);
  const long double step_untilt = std::exp(static_cast<long double>(tilt_ * h_));
  long double d = 0;
  long double b = 0;
  long double factor = untilt(loss(side.mass.size() - 1));
  for (std::size_t k = side.mass.size(); k-- > 0; factor *= step_untilt) {
    const double here = loss(k);
    if (here < 0) break;
    const long double wanted = target - side.sign * side.wrapped * factor;
    if (d > wanted) return k + 1 == side.mass.size() ? inf : here;
    const long double sum = b + side.mass[k] * factor;
    const long double next_d = d + share * sum;
    const long double next_wanted = target - side.sign * side.wrapped * factor * step_untilt;
    if (next_d > next_wanted && sum > 0) {
      // Between this point and the next lower one, D decreases by (1 - e^(l - here)) times the sum
      // per unit of e^loss.
      const auto fall = static_cast<double>((d - next_wanted) / sum);
      const double root = here + std::log1p(std::max(fall, -share));
      return std::max(0.0, std::clamp(root, here - h_, here));
    }
    d = next_d;
    b = decay * sum;
  }
  return side.sign > 0 ? std::max(0.0, first_) : 0.0;
}

Bracket LossDistribution::delta(double epsilon) const {
  return {delta(lower_, epsilon), delta(upper_, epsilon)};
}

Bracket LossDistribution::epsilon(double delta) const {
  return {epsilon(lower_, delta), epsilon(upper_, delta)};
}

std::vector<Repeated> direction(const Composition& composition, bool add) {
  std::vector<Repeated> steps;
  Composition plain{composition.relation, {}};
  for (const auto& c : composition.components) {
    if (c.sampling == Sampling::none || c.rate == 1) {
      plain.components.push_back(c);
      continue;
    }
    const auto pairs = pairs_of(composition.relation, c);
    steps.push_back({add ? pairs.back() : pairs.front(), c.steps, 0});
  }
  if (!plain.components.empty()) steps.push_back({gaussian_pair(plain), 1, 0});
  return steps;
}

double most_loss_of_add(const Composition& composition) {
  double sum = 0;
  for (const auto& c : composition.components)
    sum += c.rate < 1 ? -c.steps * std::log1p(-c.rate) : std::numeric_limits<double>::infinity();
  return sum;
}

}  // namespace trilemma::accounting
