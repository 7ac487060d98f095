#include "privacy/accountant/pld.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>

#include "privacy/accountant/directions.hpp"
#include "privacy/accountant/sketch.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// From here on a refinement must be worth its cost.
constexpr std::size_t stagnation_points = 1U << 18U;

double total_steps(const std::vector<Repeated>& steps) {
  double sum = 0;
  for (const auto& part : steps) sum += part.steps;
  return sum;
}

// What is sought: bounds read off a composed distribution, and where that is about.
struct Target {
  double log_delta, epsilon, tilt;
  std::function<Bracket(const LossDistribution&)> read;
  bool seeks_epsilon;
};

// The tilt between none and the full one with the shortest window: a strong tilt keeps rounding
// errors small, a weak one the window, where rare steps with large losses matter.
double choose_tilt(const Sketch& sketch, const Target& target, double steps) {
  double best = target.tilt;
  double shortest = inf;
  for (const double share : {1.0, 0.75, 0.5, 0.25, 0.0}) {
    const double tilt = share * target.tilt;
    const double amplification = sketch.cumulant(tilt) - tilt * target.epsilon - target.log_delta;
    const double noise = 1e-15 * (1 + steps) * std::exp(std::min(700.0, amplification));
    if (share < 1 && noise > 1e-5) break;
    const Window window = sketch.window(tilt, target.log_delta, target.epsilon, 0);
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

// Bounds from one grid; nothing is known where the grid cannot hold a step.
struct Attempt {
  Bracket bracket{0, inf};
  double step = 0, allowance = 0;
};
Attempt attempt(const std::vector<Repeated>& steps, double tilt, const Window& window,
                std::size_t points, double cut, const Target& target) {
  try {
    const LossDistribution losses(steps, tilt, window, points, cut);
    Attempt found{target.read(losses), losses.step(), 0};
    found.allowance =
        losses.allowance(target.seeks_epsilon ? found.bracket.high : target.epsilon).high;
    return found;
  } catch (const std::length_error&) {
    return {};
  }
}

// Refines the grid until the bracket is narrow enough, or lies below `floor` and does not matter.
Refined refine(std::vector<Repeated> steps, const Sketch& sketch, const Target& target, double cut,
               const Effort& effort, double floor) {
  const double tilt = choose_tilt(sketch, target, total_steps(steps));
  for (std::size_t j = 0; j < steps.size(); ++j) steps[j].log_mgf = sketch.one(j, tilt);
  Refined best;
  double seek = target.seeks_epsilon ? 0 : target.epsilon;
  double last_width = inf;
  for (std::size_t points = 1U << 12U;;) {
    const Window window = sketch.window(tilt, target.log_delta, target.epsilon, seek);
    if (!std::isfinite(window.first) || !std::isfinite(window.last)) break;
    const Attempt tried = attempt(steps, tilt, window, points, cut, target);
    const Bracket now = tried.bracket;
    if (now.high < best.bracket.high) {
      best.bracket.high = now.high;
      best.step = tried.step;
      best.points = static_cast<double>(points);
      best.allowance = tried.allowance;
    }
    best.bracket.low = std::max(now.low, best.bracket.low);
    if (target.seeks_epsilon) seek = best.bracket.low;
    const double width = best.bracket.high - best.bracket.low;
    const double wanted = effort.tolerance * best.bracket.high;
    if (std::isfinite(width) && (width <= wanted || best.bracket.high <= floor)) {
      best.converged = true;
      break;
    }
    // Nothing is known where a step does not fit on the grid, and a finer one is no remedy; nor
    // where more points have hardly helped.
    const bool stuck = points >= stagnation_points && !(width < 0.85 * last_width);
    if (points >= effort.most_points || tried.step == 0 || stuck) break;
    last_width = width;
    // The width falls with the square of the step.
    const double factor = std::isfinite(width) ? std::sqrt(1.2 * width / wanted) : 4;
    std::size_t times = 2;
    while (static_cast<double>(times) < factor && times < 16) times *= 2;
    points = std::min(points * times, effort.most_points);
  }
  return best;
}

Result to_result(const Refined& refined) {
  Result result;
  result.method = "pld";
  result.lower = refined.bracket.low;
  result.value = result.upper = refined.bracket.high;
  result.grid_step = refined.step;
  result.grid_points = refined.points;
  result.error_budget = refined.allowance;
  if (!refined.converged) {
    result.status = std::isfinite(result.value) ? Status::ok : Status::not_converged;
    result.warnings.push_back("the grid could not be refined to the wanted tolerance");
  }
  return result;
}

// The larger of both directions under add_remove; replace_one has only one.
template <class Solve>
Refined larger(const Composition& composition, std::optional<double> epsilon, const Solve& solve) {
  Refined remove = solve(direction(composition, false), 0.0);
  if (composition.relation == Relation::replace_one) return remove;
  // Beyond its largest loss the add direction has nothing to say.
  if (most_loss_of_add(composition) <= epsilon.value_or(remove.bracket.low)) return remove;
  const Refined add = solve(direction(composition, true), remove.bracket.low);
  remove.converged = remove.converged && add.converged;
  remove.bracket.high = std::max(remove.bracket.high, add.bracket.high);
  remove.bracket.low = std::max(remove.bracket.low, add.bracket.low);
  return remove;
}

}  // namespace

Result pld_epsilon(const Composition& composition, double delta, const Effort& effort) {
  return to_result(
      larger(composition, std::nullopt, [&](const std::vector<Repeated>& steps, double floor) {
        const double cut = std::max(1e-300, 1e-9 * delta / total_steps(steps));
        const Sketch sketch(steps, cut);
        const double tilt = sketch.tilt_for_delta(delta);
        const double a = 1 + tilt;
        const double about =
            (sketch.cumulant(tilt) - std::log(delta) - std::log(a)) / tilt + std::log(tilt / a);
        auto read = [delta](const LossDistribution& losses) { return losses.epsilon(delta); };
        return refine(steps, sketch, {std::log(delta), std::max(0.0, about), tilt, read, true}, cut,
                      effort, floor);
      }));
}

Result pld_delta(const Composition& composition, double epsilon, const Effort& effort) {
  return to_result(
      larger(composition, epsilon, [&](const std::vector<Repeated>& steps, double floor) {
        const Sketch rough(steps, 1e-30);
        const double about = rough.log_delta(rough.tilt_for_epsilon(epsilon), epsilon);
        const double cut = std::exp(std::clamp(about - 30, -690.0, -30.0)) / total_steps(steps);
        const Sketch sketch(steps, std::max(1e-300, cut));
        const double tilt = sketch.tilt_for_epsilon(epsilon);
        auto read = [epsilon](const LossDistribution& losses) { return losses.delta(epsilon); };
        return refine(steps, sketch,
                      {std::min(0.0, sketch.log_delta(tilt, epsilon)), epsilon, tilt, read, false},
                      std::max(1e-300, cut), effort, floor);
      }));
}

}  // namespace trilemma::accounting
