#include "privacy/accountant/round_interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "privacy/accountant/coarse_loss.hpp"
#include "privacy/accountant/pld.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Relative errors of a value: of its grid, and of the solution for epsilon.
constexpr double grid_tolerance = 2e-3;
constexpr double root_tolerance = 3e-4;
constexpr int most_steps = 60;
constexpr std::size_t least_points = 1U << 12U;
constexpr std::size_t most_points = 1U << 17U;

}  // namespace

RoundInterval::RoundInterval(std::vector<Repeated> round, double least, double last,
                             double log_delta)
    : log_delta_(log_delta) {
  std::vector<Repeated> all = round;
  double steps = 0;
  for (auto& part : all) steps += part.steps *= last;
  const double cut = std::max(1e-300, std::exp(log_delta) * 1e-9 / steps);
  const CoarseLoss coarse_loss(all, cut);
  const double tilt = coarse_loss.tilt_for_delta(std::exp(log_delta));
  // An approximate epsilon by the Renyi bound.
  const double about = (coarse_loss.cumulant(tilt) - log_delta - std::log1p(tilt)) / tilt +
                       std::log(tilt / (1 + tilt));
  if (!(about < hopeless_above)) return;
  const PowerSpec spec = shortest(coarse_loss, tilt, steps, std::max(0.0, about),
                                  {tilt, inf, least_points, cut, least});
  for (std::size_t j = 0; j < round.size(); ++j) round[j].log_mgf = coarse_loss.one(j, spec.tilt);
  refine(round, spec, last, std::max(about, 1e-12));
}

double RoundInterval::epsilon(double rounds, double guess) const {
  if (!powers_) return inf;
  const Root found = root(rounds, guess);
  return error(rounds, found) <= grid_tolerance ? found.epsilon : inf;
}

// Returns the tilt with the shortest window: a strong tilt keeps rounding errors small, but needs a
// wide window if rare steps have large losses. Mass below epsilon counts e^(-tilt width) times in
// the next copy of the window, which must be negligible compared with delta.
PowerSpec RoundInterval::shortest(const CoarseLoss& coarse_loss, double tilt, double steps,
                                  double about, PowerSpec spec) const {
  for (const double share : {1.0, 0.8, 0.65, 0.5, 0.4, 0.3}) {
    const double s = share * tilt;
    const double loss = std::max(0.0, coarse_loss.cumulant(s) - s * about - log_delta_);
    // For fewer rounds, the best tilt is up to twice as strong.
    const double worst = std::max(loss, -log_delta_ * (1 - share / 2) * (1 - share / 2));
    if (share < 1 && 1e-15 * (1 + steps) * std::exp(std::min(700.0, worst)) > 1e-5) break;
    const double width = std::max((14 - log_delta_) / s, coarse_loss.reach(s, 18 + loss));
    if (width < spec.width) {
      spec.tilt = s;
      spec.width = width;
    }
  }
  return spec;
}

// Refines the grid until the relative error is small at both ends of the range.
void RoundInterval::refine(const std::vector<Repeated>& round, PowerSpec spec, double last,
                           double guess) {
  while (std::isfinite(spec.width) && spec.points <= most_points) {
    try {
      powers_.emplace(round, spec);
    } catch (const std::length_error&) {
      break;
    }
    const Root end = root(last, guess);
    double width = error(last, end);
    if (width <= grid_tolerance)
      width = error(spec.least, root(spec.least, std::max(end.epsilon, 1e-12)));
    if (width <= grid_tolerance) return;
    spec.points *= width > 20 * grid_tolerance ? 4 : 2;
  }
  powers_.reset();
}

// Returns slightly more than the smallest epsilon at which delta is met, by Newton's method on log
// delta, which is approximately concave in epsilon, so that its steps end on the safe side.
RoundInterval::Root RoundInterval::root(double rounds, double guess) const {
  double low = 0;
  double high = inf;
  double x = guess;
  for (int i = 0; i < most_steps; ++i) {
    const auto reading = powers_->above(rounds, x);
    const double excess = reading.log_delta - log_delta_;
    (excess > 0 ? low : high) = x;
    double next = reading.slope < 0 && std::isfinite(excess) ? x - excess / reading.slope : inf;
    if (excess <= 0 && x - next <= root_tolerance * x) return {x, reading};
    if (next <= 0 && low == 0) {
      const auto at_zero = powers_->above(rounds, 0);
      if (at_zero.log_delta <= log_delta_) return {0, at_zero};
      low = std::numeric_limits<double>::min();
    }
    // From the left, steps slightly further, so that the last step is on the safe side.
    if (excess > 0) next *= 1 + 0.2 * root_tolerance;
    if (!(next > low && next < high)) next = std::isinf(high) ? 2 * x : 0.5 * (low + high);
    x = next;
  }
  return {inf, {}};
}

// Returns approximately how far below the root the optimistic masses place it, as a share of it.
double RoundInterval::error(double rounds, const Root& root) const {
  if (root.epsilon == 0) return 0;
  if (std::isinf(root.epsilon)) return inf;
  const auto below = powers_->below(rounds, root.epsilon);
  const double gap = (below.log_delta - root.reading.log_delta) / root.reading.slope;
  return std::isnan(gap) ? inf : gap / root.epsilon;
}

}  // namespace trilemma::accounting
