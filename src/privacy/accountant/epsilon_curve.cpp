#include "privacy/accountant/epsilon_curve.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "privacy/accountant/accountant.hpp"
#include "privacy/accountant/loss_distribution.hpp"
#include "privacy/accountant/round_interval.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Largest difference of neighbouring values, in the logarithm.
constexpr double most_rise = 6e-3;
// Rounds between two successive powers of this number share a transform.
constexpr std::size_t span = 4;

// Computes values at single numbers of rounds, requested in roughly ascending order.
class Values {
 public:
  Values(const Composition& round, double delta, std::size_t rounds)
      : round_(round), delta_(delta), rounds_(rounds) {}

  // Returns the value after t rounds; infinite if it is not known tightly.
  double at(std::size_t t) {
    const auto n = static_cast<double>(t);
    if (t == 1 && round_.components.size() == 1 && round_.components[0].steps == 1)
      return epsilon(round_, delta_).value;
    const double guess = last_ > 0 ? last_ * std::pow(n / last_round_, power_) : 0.1;
    double found = interval(t, false).epsilon(n, guess);
    // Beyond its largest loss the add direction does not contribute.
    if (round_.relation != Relation::replace_one && n * most_loss_of_add(round_) > found)
      found = std::max(found, interval(t, true).epsilon(n, std::max(found, 1e-12)));
    if (!std::isfinite(found) && grids_left_ > 0) {
      --grids_left_;
      Composition part = round_;
      for (auto& c : part.components) c.steps *= n;
      Options quick;
      quick.effort = {5e-3, 1U << 16U};
      found = epsilon(part, delta_, quick).value;
    }
    if (found > 0 && std::isfinite(found)) note(n, found);
    return found;
  }

 private:
  void note(double n, double found) {
    if (last_ > 0 && n != last_round_)
      power_ = std::clamp(std::log(found / last_) / std::log(n / last_round_), 0.0, 2.0);
    last_round_ = n;
    last_ = found;
  }

  const RoundInterval& interval(std::size_t t, bool add) {
    std::size_t least = 1;
    while (least <= t / span) least *= span;
    const auto found = intervals_.find({least, add});
    if (found != intervals_.end()) return found->second;
    const std::size_t last = std::min(span * least - 1, rounds_);
    return intervals_
        .try_emplace({least, add}, direction(round_, add), static_cast<double>(least),
                     static_cast<double>(last), std::log(delta_))
        .first->second;
  }

  const Composition& round_;
  double delta_;
  std::size_t rounds_;
  double last_round_ = 0, last_ = 0, power_ = 0.6;  ///< for guesses
  int grids_left_ = 24;  ///< remaining grids for rounds that no shared transform covers
  std::map<std::pair<std::size_t, bool>, RoundInterval> intervals_;
};

bool sampled(const Composition& round) {
  return std::any_of(round.components.begin(), round.components.end(), [](const Component& c) {
    return c.rate < 1 && (c.sampling == Sampling::poisson || c.sampling == Sampling::fixed_wor);
  });
}

}  // namespace

EpsilonCurve::EpsilonCurve(const Composition& round, double delta, std::size_t rounds, double all)
    : round_(without_idle(round)), delta_(delta), all_(all), rounds_(rounds) {
  if (!(delta > 0) || rounds == 0) return;
  if (sampled(round_)) choose();
  const bool is_known = std::all_of(epsilon_.begin(), epsilon_.end(),
                                    [](double value) { return std::isfinite(value); });
  if (!is_known || has_range(round_)) draw_lines();
  // Where no tight value is known, the value of a later round is a bound.
  for (std::size_t i = epsilon_.size(); i-- > 1;)
    epsilon_[i - 1] = std::min(epsilon_[i - 1], epsilon_[i]);
}

EpsilonCurve::EpsilonCurve(std::vector<std::size_t> rounds, std::vector<double> epsilons)
    : delta_(0),
      all_(epsilons.back()),
      rounds_(rounds.back()),
      chosen_(std::move(rounds)),
      epsilon_(std::move(epsilons)) {
  for (std::size_t i = epsilon_.size(); i-- > 1;)
    epsilon_[i - 1] = std::min(epsilon_[i - 1], epsilon_[i]);
}

// Chooses rounds with step sizes that adapt to the rise of epsilon.
void EpsilonCurve::choose() {
  Values values(round_, delta_, rounds_);
  auto scaled = [](std::size_t step, double share) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(step)));
  };
  double here = 0;
  for (std::size_t t = 0, step = 1; t < rounds_;) {
    step = std::min(step, rounds_ - t);
    const double value = t + step == rounds_ ? all_ : values.at(t + step);
    const double rise = value > here && std::isfinite(value) ? std::log(value / here) : 0;
    if (step > 1 && rise > most_rise) {
      step = scaled(step, std::min(0.8 * most_rise / rise, 0.5));
      continue;
    }
    t += step;
    chosen_.push_back(t);
    epsilon_.push_back(value);
    if (std::isfinite(value)) here = value;
    step = scaled(step, rise > 0 ? std::min(2.0, 0.8 * most_rise / rise) : 2.0);
  }
}

void EpsilonCurve::draw_lines() {
  RenyiCurve renyi(round_);
  for (const double a : standard_orders()) {
    slope_.push_back(renyi.at(a));
    intercept_.push_back(std::log1p(-1 / a) - (std::log(delta_) + std::log(a)) / (a - 1));
  }
}

double EpsilonCurve::at(std::size_t rounds) const {
  if (rounds == 0 || (round_.components.empty() && chosen_.empty())) return 0;
  if (rounds >= rounds_) return rounds == rounds_ ? all_ : inf;
  const auto n = static_cast<double>(rounds);
  double best = all_;
  for (std::size_t i = 0; i < slope_.size(); ++i)
    best = std::min(best, std::max(0.0, n * slope_[i] + intercept_[i]));
  const auto next = std::lower_bound(chosen_.begin(), chosen_.end(), rounds);
  if (next != chosen_.end())
    return std::min(best, epsilon_[static_cast<std::size_t>(next - chosen_.begin())]);
  if (!slope_.empty()) return best;
  Composition part = round_;
  for (auto& c : part.components) c.steps *= n;
  return std::min(best, epsilon(part, delta_).value);
}

}  // namespace trilemma::accounting
