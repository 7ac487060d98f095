#include "privacy/accountant/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "privacy/accountant/root.hpp"

namespace trilemma::accounting {
namespace {

constexpr double widest = 1e9;
constexpr double longest_step = 3;  // in the logarithm: accountants are slow far from the solution
// Relative widths of the last bracket: for exact accountants, for accountants with bounds, and for
// the first search, whose evaluations are cheap.
constexpr double exact_tolerance = 2e-7;
constexpr double bounds_tolerance = 1e-6;
constexpr double rough_tolerance = 1e-3;
constexpr double rough_bounds = 0.02;
// Numbers of evaluations within a bracket: for slow accountants, and for those of negligible cost.
constexpr int few = 10;
constexpr int many = 100;
// Limits the transforms of searches over rounds and rates, which also evaluate points where long
// transforms would be wasted.
constexpr std::size_t quick_points = 1U << 18U;
constexpr std::size_t noise_points = 1U << 20U;

Composition with_noise(Composition composition, double factor) {
  for (auto& c : composition.components) c.sigma *= factor;
  return composition;
}

Composition repeated(Composition composition, double times) {
  for (auto& c : composition.components) c.steps *= times;
  return composition;
}

Composition with_rate(Composition composition, double rate) {
  for (auto& c : composition.components)
    if (c.sampling != Sampling::none) c.rate = rate;
  return composition;
}

// Counts evaluations and keeps the tightest certain statements about a decreasing function
// epsilon(x).
class Search {
 public:
  Search(std::function<Result(double)> account, double target)
      : account_(std::move(account)), target_(target) {}
  Search(const std::function<Composition(double)>& at, double target, double delta,
         const Options& options)
      : Search([at, delta, options](double x) { return epsilon(at(x), delta, options); }, target) {}

  // Returns an upper bound on log(epsilon / target); decreasing in x.
  double operator()(double x) {
    ++evaluations_;
    const Result r = account_(x);
    if (r.value <= target_ && (!(safe_ > 0) || x < safe_)) {
      safe_ = x;
      last_ = r;
    }
    if (r.lower > target_) unsafe_ = std::max(unsafe_, x);
    width_ = r.value > 0 ? 1 - r.lower / r.value : 0;
    return std::log(std::max(r.value, 1e-300) / target_);
  }
  Result result() const {
    Result r = last_;
    r.value = r.upper = safe_;
    r.lower = unsafe_;
    r.evaluations = evaluations_;
    return r;
  }
  double safe() const { return safe_; }
  double width() const { return width_; }

 private:
  std::function<Result(double)> account_;
  double target_;
  int evaluations_ = 0;
  double safe_ = 0, unsafe_ = 0, width_ = 0;
  Result last_;
};

// Finds the root of f, which decreases in log x, from a guess, widening the bracket by `growth`.
void find_root(const std::function<double(double)>& f, double guess, double growth,
               double tolerance, int evaluations) {
  auto in_log = [&f](double t) { return f(std::exp(t)); };
  const double start = std::log(guess);
  double step = std::log(growth);
  Bracket bracket{start, start};
  double f_low = in_log(start);
  double f_high = f_low;
  const double most = std::log(widest);
  while (f_high > 0) {
    bracket.low = bracket.high;
    f_low = f_high;
    bracket.high += step;
    step = std::min(2 * step, longest_step);
    if (bracket.high > most) return;
    f_high = in_log(bracket.high);
  }
  step = std::log(growth);
  while (f_low <= 0) {
    bracket.high = bracket.low;
    f_high = f_low;
    bracket.low -= step;
    step = std::min(2 * step, longest_step);
    if (bracket.low < -most) return;
    f_low = in_log(bracket.low);
  }
  // The solver's tolerance is relative to its argument; a shift by a constant makes that the
  // relative width of x.
  const double shift = bracket.low - 1;
  narrow([&](double t) { return in_log(t + shift); }, {1, bracket.high - shift}, f_low, f_high,
         tolerance, evaluations);
}

// Returns a first guess by the Renyi accountant, whose evaluations cost next to nothing.
double guess(const std::function<Composition(double)>& at, double target, double delta) {
  Search search(at, target, delta, {Method::rdp, Orders::standard, {}, 0});
  find_root([&search](double x) { return search(x); }, 1.0, 4.0, exact_tolerance, many);
  return search.safe();
}

// Returns whether evaluations give bounds on both sides whose width depends on the effort.
bool has_bounds(const Composition& composition, const Options& options) {
  if (options.method != Method::automatic) return options.method == Method::pld;
  return std::any_of(
      composition.components.begin(), composition.components.end(), [](const Component& c) {
        return c.rate < 1 && (c.sampling == Sampling::poisson || c.sampling == Sampling::fixed_wor);
      });
}

// Narrows the interval of a result, whose value is safe, to the relative width `tolerance`:
// evaluates points beyond the value at growing distances, with bounds that are tight enough to tell
// them from it, and sets `far`, the other end of the interval, to the first whose epsilon is above
// the target. The result says so if the interval stays wider.
void tighten(Result& result, double& far, const std::function<double(double distance)>& beyond,
             const std::function<Composition(double)>& at, double target, double delta,
             Options options) {
  const double tolerance = options.effort.tolerance;
  if (result.method == "rdp") return;  // which has an upper bound alone
  constexpr int most = 8;
  options.effort.tolerance = tolerance / 4;
  double distance = 0.9 * tolerance;
  for (int i = 0; i < most && width(result) > tolerance; ++i, distance *= 2) {
    const double point = beyond(distance);
    ++result.evaluations;
    if (epsilon(at(point), delta, options).lower <= target) continue;
    far = point;
    break;
  }
  // Bounds on epsilon that lie far apart matter only where those on the answer do.
  if (result.status == Status::not_converged || result.status == Status::precision) {
    result.status = Status::ok;
    result.warnings.clear();
  }
  if (result.status == Status::ok && width(result) > tolerance) {
    result.status = Status::not_converged;
    result.warnings.push_back("the bounds are " + shown(100 * width(result)) +
                              " % apart, more than the tolerance of " + shown(100 * tolerance) +
                              " %");
  }
}

[[noreturn]] void refuse_target(double target) {
  throw std::invalid_argument("epsilon = " + shown(target) +
                              ": no noise up to 1e9 times the given one reaches it");
}

void check_target(double target, double delta) {
  validate_epsilon(target);
  validate_delta(delta);
  if (!(target > 0))
    throw std::invalid_argument("epsilon = 0: no Gaussian noise reaches it; give a number above 0");
  if (!(delta > 0))
    throw std::invalid_argument("delta = 0: no Gaussian noise reaches it; give a number above 0");
}

}  // namespace

Result calibrate_noise(const Composition& composition, double target, double delta,
                       const Options& options) {
  validate(composition);
  check_target(target, delta);
  const Composition busy = without_idle(composition);
  if (busy.components.empty()) return epsilon(busy, delta, options);
  auto at = [&busy](double factor) { return with_noise(busy, factor); };
  double first = guess(at, target, delta);
  Options fine = options;
  fine.effort.most_points = std::min(options.effort.most_points, noise_points);
  Search search(at, target, delta, fine);
  // If there is no guess, evaluates the largest noise, to decide whether a search can succeed.
  if (!(first > 0) && search(widest) > 0) refuse_target(target);
  int rough_evaluations = 0;
  if (has_bounds(busy, options) && first > 0) {
    Options quick = fine;
    quick.effort.tolerance = std::max(rough_bounds, options.effort.tolerance);
    Search rough(at, target, delta, quick);
    find_root([&rough](double x) { return rough(x); }, first, 1.1, rough_tolerance, few);
    if (rough.safe() > 0) first = rough.safe();
    rough_evaluations = rough.result().evaluations;
    find_root([&search](double x) { return search(x); }, first, 1.01, bounds_tolerance, few);
  } else {
    find_root([&search](double x) { return search(x); }, first > 0 ? first : 1.0,
              first > 0 ? 1.1 : 4.0, exact_tolerance, many);
  }
  if (!(search.safe() > 0)) refuse_target(target);
  // One more evaluation slightly below the safe end tightens the lower bound.
  if (search.width() < 0.1) search(search.safe() * (1 - std::max(1e-9, 3 * search.width())));
  Result result = search.result();
  result.evaluations += rough_evaluations;
  tighten(
      result, result.lower, [&](double distance) { return result.value * (1 - distance); }, at,
      target, delta, options);
  return result;
}

Result calibrate_noise(const Composition& composition, double target, double delta,
                       const std::function<Result(const Composition&)>& quick,
                       const std::function<Result(const Composition&)>& account) {
  validate(composition);
  check_target(target, delta);
  auto search = [&](const std::function<Result(const Composition&)>& by) {
    return Search([&](double factor) { return by(with_noise(composition, factor)); }, target);
  };
  Search rough = search(quick);
  find_root([&rough](double x) { return rough(x); }, 1.0, 4.0, exact_tolerance, many);
  if (!(rough.safe() > 0)) refuse_target(target);
  Search fine = search(account);
  find_root([&fine](double x) { return fine(x); }, rough.safe(), 1.1, bounds_tolerance, few);
  if (!(fine.safe() > 0)) refuse_target(target);
  Result result = fine.result();
  result.evaluations += rough.result().evaluations;
  return result;
}

Result calibrate_rate(const Composition& composition, double target, double delta,
                      const Options& options) {
  validate(composition);
  check_target(target, delta);
  if (std::none_of(composition.components.begin(), composition.components.end(),
                   [](const Component& c) { return c.sampling != Sampling::none; }))
    throw std::invalid_argument("sampling = none: there is no rate to be found");
  // epsilon decreases in 1/rate.
  auto at = [&composition](double inverse) {
    return with_rate(composition, std::min(1.0, 1 / inverse));
  };
  Options quick = options;
  quick.effort.most_points = std::min(options.effort.most_points, quick_points);
  Search search(at, target, delta, quick);
  if (search(1.0) <= 0) {
    Result all = search.result();
    all.value = all.lower = all.upper = 1;
    return all;
  }
  const double first = guess(at, target, delta);
  find_root([&search](double x) { return search(std::max(1.0, x)); }, first > 0 ? first : 10, 1.1,
            bounds_tolerance, few);
  Result result = search.result();
  const double found = result.value;
  result.value = result.lower = found > 0 ? 1 / found : 0;
  result.upper = search.result().lower > 0 ? 1 / search.result().lower : 1;
  tighten(
      result, result.upper,
      [&](double distance) { return std::min(1.0, result.value / (1 - distance)); },
      [&](double rate) { return with_rate(composition, rate); }, target, delta, options);
  return result;
}

Result calibrate_rounds(const Composition& composition, double target, double delta,
                        const Options& options) {
  validate(composition);
  check_target(target, delta);
  if (without_idle(composition).components.empty()) return epsilon(composition, delta, options);
  constexpr double most = 1e9;
  Options quick = options;
  quick.effort.most_points = std::min(options.effort.most_points, quick_points);
  int evaluations = 0;
  Result last;
  double too_many = most + 1;
  auto fits = [&](double rounds) {
    ++evaluations;
    const Result r = epsilon(repeated(composition, rounds), delta, quick);
    if (r.lower > target) too_many = std::min(too_many, rounds);
    const bool good = r.value <= target;
    if (good) last = r;
    return good;
  };
  double low = 0;
  double high = 1;
  // Starts from the Renyi bound.
  const Options by_rdp{Method::rdp, Orders::standard, {}, 0};
  while (high < most && epsilon(repeated(composition, 2 * high), delta, by_rdp).value <= target)
    high *= 2;
  while (high <= most && fits(high)) {
    low = high;
    high = std::ceil(high * (evaluations == 1 ? 1.5 : 2.0));
  }
  high = std::min(high, most + 1);
  // Searches integers to the last unit or to one part in ten thousand, or less if asked for.
  const double share = std::min(1e-4, options.effort.tolerance / 2);
  while (high - low > 1 && high - low > share * low && evaluations < 60) {
    const double middle = std::floor(low > 0 ? std::sqrt(low * high) : high / 2);
    const double between = std::clamp(middle, low + 1, high - 1);
    (fits(between) ? low : high) = between;
  }
  Result result = last;
  result.value = result.lower = low;
  result.upper = too_many - 1;
  result.evaluations = evaluations;
  if (low > 0 && low < most)
    tighten(
        result, result.upper,
        [&](double distance) { return std::max(low + 1, std::floor(low / (1 - distance))) - 1; },
        [&](double fitting) { return repeated(composition, fitting + 1); }, target, delta, options);
  return result;
}

}  // namespace trilemma::accounting
