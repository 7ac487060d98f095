#include "privacy/accountant/pld.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>

#include "privacy/accountant/coarse_loss.hpp"
#include "privacy/accountant/loss_distribution.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Number of grid points from which on several tilts are compared.
constexpr std::size_t contest_points = 1U << 16U;
// Number of grid points from which on a refinement must be worth its cost.
constexpr std::size_t stagnation_points = 1U << 18U;

double total_steps(const std::vector<Repeated>& steps) {
  double sum = 0;
  for (const auto& part : steps) sum += part.steps;
  return sum;
}

// The quantity to be found: a function that reads its bounds from a composed distribution, and an
// estimate.
struct Target {
  double log_delta, epsilon, tilt;
  std::function<Bracket(const LossDistribution&)> read;
  bool seeks_epsilon;
};

// Largest product of the tilt and the width of a window: a long double represents its factors.
constexpr double most_exponent = 2e4;

double exponent(double tilt, const Window& window) { return tilt * (window.last - window.first); }

// Returns the tilt of the target, halved until a window can hold it. A loss that takes its largest
// value with a probability above delta has no best tilt.
double representable(const CoarseLoss& coarse_loss, const Target& target) {
  double tilt = target.tilt;
  while (exponent(tilt, coarse_loss.window(tilt, target.log_delta, target.epsilon, 0)) >
         most_exponent)
    tilt /= 2;
  return tilt;
}

// Returns the tilt, between 0 and that of the target, with the shortest window: a strong tilt keeps
// rounding errors small, a weak one shortens the window if rare steps have large losses.
double choose_tilt(const CoarseLoss& coarse_loss, const Target& target, double steps) {
  double best = target.tilt;
  double shortest = inf;
  for (const double share : {1.0, 0.75, 0.5, 0.25, 0.0}) {
    const double tilt = share * target.tilt;
    const double amplification =
        coarse_loss.cumulant(tilt) - tilt * target.epsilon - target.log_delta;
    const double noise = 1e-15 * (1 + steps) * std::exp(std::min(700.0, amplification));
    if (share < 1 && noise > 1e-5) break;
    const Window window = coarse_loss.window(tilt, target.log_delta, target.epsilon, 0);
    if (window.last - window.first < 0.9 * shortest) {
      shortest = window.last - window.first;
      best = tilt;
    }
  }
  return best;
}

struct Refined {
  Bracket bracket{0, inf};
  double step = 0, points = 0, allowance = 0;
  bool converged = false;
};

// Computes bounds from successively finer grids. All of them are valid, so the bracket is their
// intersection.
class Refinement {
 public:
  Refinement(std::vector<Repeated> steps, const CoarseLoss& coarse_loss, Target target, double cut,
             const Effort& effort, double floor)
      : steps_(std::move(steps)),
        coarse_loss_(coarse_loss),
        target_(std::move(target)),
        cut_(cut),
        effort_(effort),
        floor_(floor) {
    target_.tilt = representable(coarse_loss_, target_);
    tilt_ = choose_tilt(coarse_loss_, target_, total_steps(steps_));
  }

  // Refines the grid until the bracket is narrow enough, or lies below `floor` and does not matter.
  Refined run() {
    double last_width = inf;
    bool contested = false;
    for (std::size_t points = 1U << 12U; !done();) {
      const double width = attempt(points);
      if (done()) break;
      if (!contested && points >= contest_points) {
        contested = true;
        contest(points);
        if (done()) break;
      } else if (contested && points >= stagnation_points && !(width < 0.85 * last_width)) {
        break;  // more points have hardly improved the bracket
      }
      if (points >= effort_.most_points) break;
      last_width = width;
      points = std::min(points * more(width), effort_.most_points);
    }
    best_.converged = done();
    return best_;
  }

 private:
  // Returns the next number of points: the width decreases with the square of the step.
  std::size_t more(double width) const {
    const double factor = std::isfinite(width)
                              ? std::sqrt(1.2 * width / (effort_.tolerance * best_.bracket.high))
                              : 4;
    std::size_t times = 2;
    while (static_cast<double>(times) < factor && times < 16) times *= 2;
    return times;
  }

  double width() const { return best_.bracket.high - best_.bracket.low; }
  bool done() const {
    return std::isfinite(width()) &&
           (width() <= effort_.tolerance * best_.bracket.high || best_.bracket.high <= floor_);
  }

  // Tries several tilts and keeps the one with the narrowest bracket, which is hard to predict
  // where rare steps have large losses.
  void contest(std::size_t points) {
    double narrowest = inf;
    double winner = tilt_;
    for (const double share : {1.0, 0.75, 0.5, 0.25, 0.1, 0.0}) {
      tilt_ = share * target_.tilt;
      const double found = attempt(points);
      if (done()) return;
      if (found < narrowest) {
        narrowest = found;
        winner = tilt_;
      }
    }
    tilt_ = winner;
  }

  // Computes the bounds from one grid; returns their distance, which is infinite if the grid cannot
  // hold a step.
  double attempt(std::size_t points) {
    const Window window = coarse_loss_.window(tilt_, target_.log_delta, target_.epsilon, seek());
    if (!std::isfinite(window.first) || !std::isfinite(window.last)) return inf;
    if (exponent(tilt_, window) > most_exponent) return inf;
    for (std::size_t j = 0; j < steps_.size(); ++j) steps_[j].log_mgf = coarse_loss_.one(j, tilt_);
    try {
      const LossDistribution losses(steps_, tilt_, window, points, cut_);
      const Bracket found = target_.read(losses);
      if (found.high < best_.bracket.high) {
        best_.bracket.high = found.high;
        best_.step = losses.step();
        best_.points = static_cast<double>(points);
        best_.allowance =
            losses.allowance(target_.seeks_epsilon ? found.high : target_.epsilon).high;
      }
      best_.bracket.low = std::max(found.low, best_.bracket.low);
      // The Renyi bound, from which the search started, may lie far above epsilon.
      if (target_.seeks_epsilon) target_.epsilon = std::min(target_.epsilon, best_.bracket.high);
      return found.high - found.low;
    } catch (const std::length_error&) {
      return inf;
    }
  }
  double seek() const { return target_.seeks_epsilon ? best_.bracket.low : target_.epsilon; }

  std::vector<Repeated> steps_;
  const CoarseLoss& coarse_loss_;
  Target target_;
  double cut_;
  Effort effort_;
  double floor_, tilt_ = 0;
  Refined best_;
};

Result to_result(const Refined& refined) {
  Result result;
  result.method = "pld";
  result.lower = refined.bracket.low;
  result.value = result.upper = refined.bracket.high;
  result.grid_step = refined.step;
  result.grid_points = refined.points;
  result.error_budget = refined.allowance;
  return result;
}

// Returns the larger result of both directions under add_remove; replace_one has only one.
template <class Solve>
Refined larger(const Composition& composition, std::optional<double> epsilon, const Solve& solve) {
  Refined remove = solve(direction(composition, false), 0.0);
  if (composition.relation == Relation::replace_one) return remove;
  // Beyond its largest loss the add direction does not contribute.
  if (most_loss_of_add(composition) <= epsilon.value_or(remove.bracket.low)) return remove;
  const Refined add = solve(direction(composition, true), remove.bracket.low);
  remove.converged = remove.converged && add.converged;
  remove.bracket.high = std::max(remove.bracket.high, add.bracket.high);
  remove.bracket.low = std::max(remove.bracket.low, add.bracket.low);
  return remove;
}

// Returns epsilon in one direction; a value below `floor` does not matter.
Refined refine_epsilon(const std::vector<Repeated>& steps, double delta, const Effort& effort,
                       double floor) {
  const double cut = std::max(1e-300, 1e-9 * delta / total_steps(steps));
  const CoarseLoss coarse_loss(steps, cut);
  const double tilt = coarse_loss.tilt_for_delta(delta);
  const double a = 1 + tilt;
  const double about =
      (coarse_loss.cumulant(tilt) - std::log(delta) - std::log(a)) / tilt + std::log(tilt / a);
  auto read = [delta](const LossDistribution& losses) { return losses.epsilon(delta); };
  return Refinement(steps, coarse_loss, {std::log(delta), std::max(0.0, about), tilt, read, true},
                    cut, effort, floor)
      .run();
}

Refined refine_delta(const std::vector<Repeated>& steps, double epsilon, const Effort& effort,
                     double floor) {
  const CoarseLoss rough(steps, 1e-30);
  const double about = rough.log_delta(rough.tilt_for_epsilon(epsilon), epsilon);
  const double cut = std::exp(std::clamp(about - 30, -690.0, -30.0)) / total_steps(steps);
  const CoarseLoss coarse_loss(steps, std::max(1e-300, cut));
  const double tilt = coarse_loss.tilt_for_epsilon(epsilon);
  auto read = [epsilon](const LossDistribution& losses) { return losses.delta(epsilon); };
  const double log_delta = std::min(0.0, coarse_loss.log_delta(tilt, epsilon));
  return Refinement(steps, coarse_loss, {log_delta, epsilon, tilt, read, false},
                    std::max(1e-300, cut), effort, floor)
      .run();
}

}  // namespace

Result pld_epsilon(const Composition& composition, double delta, const Effort& effort) {
  return to_result(
      larger(composition, std::nullopt, [&](const std::vector<Repeated>& steps, double floor) {
        return refine_epsilon(steps, delta, effort, floor);
      }));
}

Result pld_delta(const Composition& composition, double epsilon, const Effort& effort) {
  return to_result(
      larger(composition, epsilon, [&](const std::vector<Repeated>& steps, double floor) {
        return refine_delta(steps, epsilon, effort, floor);
      }));
}

Result pld_epsilon(const std::vector<Repeated>& steps, double delta, const Effort& effort) {
  return to_result(refine_epsilon(steps, delta, effort, 0));
}

Result pld_delta(const std::vector<Repeated>& steps, double epsilon, const Effort& effort) {
  return to_result(refine_delta(steps, epsilon, effort, 0));
}

}  // namespace trilemma::accounting
