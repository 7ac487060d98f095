#include "audit/attack.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trilemma {
namespace {

// Returns log((1-q) + q exp(a)), the log likelihood ratio of a projection that is drawn with
// probability q.
double log_mixture(double rate, double a) {
  if (rate == 1) return a;
  return a > 0 ? a + std::log(rate + (1 - rate) * std::exp(-a)) : std::log1p(rate * std::expm1(a));
}

double above(std::span<const double> sorted, double threshold) {
  return static_cast<double>(sorted.end() -
                             std::upper_bound(sorted.begin(), sorted.end(), threshold));
}

// Caches the confidence limit for each number of errors.
class Limits {
 public:
  Limits(std::size_t trials, double confidence)
      : trials_(static_cast<double>(trials)),
        each_(1 - 0.5 * (1 - confidence)),
        known_(trials + 1, -1.0) {}
  double upper(double errors) {
    double& value = known_[static_cast<std::size_t>(errors)];
    if (value < 0) value = accounting::clopper_pearson_upper(errors, trials_, each_);
    return value;
  }

 private:
  double trials_, each_;
  std::vector<double> known_;
};

double best_threshold(std::span<const double> absent, std::span<const double> present,
                      double confidence, const BoundOf& bound) {
  std::vector<double> a(absent.begin(), absent.end());
  std::vector<double> p(present.begin(), present.end());
  std::sort(a.begin(), a.end());
  std::sort(p.begin(), p.end());
  std::vector<double> all(a.size() + p.size());
  std::merge(a.begin(), a.end(), p.begin(), p.end(), all.begin());
  Limits absent_limits(a.size(), confidence);
  Limits present_limits(p.size(), confidence);
  double best = -1;
  double chosen = 0;
  for (const double threshold : all) {
    const double found =
        bound({absent_limits.upper(above(a, threshold)),
               present_limits.upper(static_cast<double>(p.size()) - above(p, threshold))});
    if (found <= best) continue;
    best = found;
    chosen = threshold;
  }
  return chosen;
}

}  // namespace

double log_likelihood_ratio(const Signal& s, double y) {
  auto of_size = [&s](double size, double projection) {
    return size * (2 * projection - size) / (2 * s.sigma * s.sigma);
  };
  auto against_zero = [&](double projection) {
    const double flipped = of_size(-s.size, projection);
    const double shift = of_size(s.size, projection) - flipped;
    return log_mixture(s.rate, flipped + log_mixture(1 - s.flips, shift));
  };
  return std::clamp(against_zero(y) - (s.opposite ? against_zero(-y) : 0), -s.most, s.most);
}

Attack attack(std::span<const double> absent, std::span<const double> present, double confidence,
              const BoundOf& bound) {
  const std::size_t third = absent.size() / 3;
  Attack found;
  found.threshold = best_threshold(absent.first(third), present.first(third), confidence, bound);
  auto says_present = [&](double value) { return value > found.threshold; };
  const auto a = absent.subspan(third);
  const auto p = present.subspan(third);
  found.absent_runs = static_cast<double>(a.size());
  found.present_runs = static_cast<double>(p.size());
  found.false_positives = static_cast<double>(std::count_if(a.begin(), a.end(), says_present));
  found.false_negatives =
      found.present_runs - static_cast<double>(std::count_if(p.begin(), p.end(), says_present));
  found.limits = accounting::error_limits(found.false_positives, found.absent_runs,
                                          found.false_negatives, found.present_runs, confidence);
  found.bound = bound(found.limits);
  return found;
}

accounting::OneRun guess(std::span<const double> score, const std::vector<bool>& included) {
  std::vector<std::size_t> order(score.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return score[i] < score[j]; });
  const std::size_t half = std::max<std::size_t>(1, score.size() / 20);
  accounting::OneRun run{static_cast<double>(score.size()), static_cast<double>(2 * half), 0};
  for (std::size_t i = 0; i < half; ++i) {
    if (!included[order[i]]) ++run.correct;
    if (included[order[order.size() - 1 - i]]) ++run.correct;
  }
  return run;
}

}  // namespace trilemma
