#include "privacy/account.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "base/check.hpp"
#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma {
namespace {

using namespace accounting;

// Relative width of the bounds that is narrow enough for the record of a run.
constexpr double tolerance = 5e-4;
constexpr std::size_t most_grid_points = 1U << 18U;

double round_up(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 9);
  return std::ceil(value / unit) * unit;
}

// Caches recent answers: a run requests its account several times, and cells of a sweep that differ
// in nothing that is accounted request the same one.
template <class Answer>
class Memory {
 public:
  Answer operator()(const Releases& releases, double given, double delta, auto&& compute) {
    const auto found = std::ranges::find_if(entries_, [&](const Entry& e) {
      return e.given == given && e.delta == delta && e.releases == releases;
    });
    if (found != entries_.end()) return found->answer;
    constexpr std::size_t most = 64;
    if (entries_.size() == most) entries_.pop_front();
    entries_.push_back({releases, given, delta, compute()});
    return entries_.back().answer;
  }

 private:
  struct Entry {
    Releases releases;
    double given, delta;
    Answer answer;
  };
  std::deque<Entry> entries_;
};

bool is_split(const Releases& r) { return std::ranges::any_of(r.list, &Release::is_split); }

}  // namespace

Options run_options(double wanted) {
  Options out;
  out.effort.tolerance = wanted;
  out.effort.most_points = most_grid_points;
  return out;
}

const Release& Releases::of_every_round() const {
  if (list.size() != 1) throw LibraryError("the rounds of this run release different things");
  return list.front();
}

Composition compose(const Releases& r, double sigma, double split) {
  Composition out{r.relation, {}};
  for (const Release& release : r.list) {
    const auto& [sampled, full] = release.sensitivity;
    const double noise = release.noise * sigma;
    const double sampled_share = release.is_split() ? std::sqrt(split) : 1;
    const double full_share = release.is_split() ? std::sqrt(1 - split) : 1;
    const double steps = release.times * release.coordinates;
    if (sampled > 0)
      out.components.push_back({release.sampling, release.rate, sampled_share * noise / sampled,
                                steps, release.range, release.times});
    if (full > 0) out.components.push_back({Sampling::none, 1, full_share * noise / full, steps});
  }
  return out;
}

double best_split(const Releases& r, double sigma, double delta) {
  if (!is_split(r)) return 0.5;
  // Searches over t = log(split / (1 - split)).
  auto share = [](double t) { return 1 / (1 + std::exp(-t)); };
  auto bound = [&](double t) { return renyi_epsilon(compose(r, sigma, share(t)), delta).value; };
  return share(golden_section(bound, -12, 12, 20));
}

double best_noise_ratio(const std::function<Releases(double)>& releases,
                        const std::function<double(double, double)>& noise, double epsilon,
                        double delta) {
  Options quick;
  quick.method = Method::rdp;
  const auto at = [&](double log_ratio) {
    const double ratio = std::exp(log_ratio);
    return noise(calibrate_noise(compose(releases(ratio), 1, 0.5), epsilon, delta, quick).value,
                 ratio);
  };
  const double found = std::exp(golden_section(at, -3, 3, 10));
  const double unit = std::pow(10.0, std::floor(std::log10(found)) - 2);
  return std::round(found / unit) * unit;
}

namespace {

// Above this epsilon, which protects nothing, the mean is bounded by the Renyi accountant alone, or
// by the epsilon of all rounds: the grids of such large losses take a minute.
constexpr double fine_epsilon = 100;

}  // namespace

double mean_delta(const Releases& r, double sigma, double epsilon, double delta, bool is_lower) {
  Options quick;
  quick.effort = {.tolerance = 5e-3, .most_points = 1U << 16U};
  Releases some{r.relation, {r.of_every_round()}};
  double sum = 0;
  for (const Stop& stop : r.stops) {
    const double rounds = is_lower ? stop.least : stop.most;
    if (rounds == 0) continue;
    some.list.front().times = rounds;
    const Composition part = compose(some, sigma, 0.5);
    const double rough = stop.probability * renyi_delta(part, epsilon).value;
    if (rough <= 1e-4 * delta || epsilon > fine_epsilon) {
      sum += is_lower ? 0 : rough;
      continue;
    }
    const Result found = accounting::delta(part, epsilon, quick);
    sum += stop.probability * (is_lower ? found.lower : found.value);
  }
  return sum;
}

namespace {

// Relative width to which the epsilon of a random number of rounds is found.
constexpr double mean_tolerance = 1e-3;

// Returns an interval around the epsilon with mean_delta(epsilon) = `delta`, which is below `most`.
Bracket mean_epsilon(const Releases& r, double sigma, double delta, double most, bool is_lower) {
  const auto excess = [&](double epsilon) {
    const double found = mean_delta(r, sigma, epsilon, delta, is_lower);
    return std::log(std::max(found, 1e-300) / delta);
  };
  if (is_lower) most = std::min(most, fine_epsilon);
  const double at_most = excess(most);
  if (at_most > 0) return {most, most};
  const double at_zero = excess(0);
  if (at_zero <= 0) return {0, 0};
  return narrow(excess, {0, most}, at_zero, at_most, mean_tolerance, 12);
}

// Returns noise for which mean_epsilon() is at most `epsilon`; `most` suffices without stops.
double mean_sigma(const Releases& r, double epsilon, double delta, double most) {
  const double target = epsilon / (1 + 2 * mean_tolerance);
  const auto excess = [&](double sigma) {
    return std::log(std::max(mean_delta(r, sigma, target, delta), 1e-300) / delta);
  };
  const double least = most / 8;
  const double at_least = excess(least), at_most = excess(most);
  if (at_least <= 0) return least;
  if (at_most > 0) return most;
  return narrow(excess, {least, most}, at_least, at_most, mean_tolerance, 10).high;
}

double sigma_for(const Releases& r, double epsilon, double delta) {
  Options quick;
  quick.method = Method::rdp;
  double split = 0.5;
  for (int i = 0; i < 2 && is_split(r); ++i) {
    const double sigma = calibrate_noise(compose(r, 1, split), epsilon, delta, quick).value;
    split = best_split(r, sigma, delta);
  }
  double sigma =
      round_up(calibrate_noise(compose(r, 1, split), epsilon, delta, run_options(tolerance)).value);
  if (!r.stops.empty()) sigma = round_up(mean_sigma(r, epsilon, delta, sigma));
  // account() may choose a slightly different split; a little more noise makes up for the
  // difference.
  for (int i = 0; i < 100 && account(r, sigma, delta).epsilon.value > epsilon; ++i)
    sigma = round_up(sigma * (1 + 1e-6 * std::pow(1.5, i)));
  return sigma;
}

Account account_at(const Releases& r, double sigma, double delta) {
  Account out;
  out.split = best_split(r, sigma, delta);
  out.tolerance = tolerance;
  out.composition = compose(r, sigma, out.split);
  out.epsilon = accounting::epsilon(out.composition, delta, run_options(tolerance));
  if (!r.stops.empty() && std::isfinite(out.epsilon.value)) {
    const double all = out.epsilon.value;
    out.epsilon.upper = out.epsilon.value = mean_epsilon(r, sigma, delta, all, false).high;
    out.epsilon.lower = mean_epsilon(r, sigma, delta, all, true).low;
  }
  if (out.epsilon.method != "rdp" && out.epsilon.method != "none")
    out.crosscheck = renyi_epsilon(without_idle(out.composition), delta);
  return out;
}

}  // namespace

double calibrated_sigma(const Releases& r, double epsilon, double delta) {
  thread_local Memory<double> known;
  return known(r, epsilon, delta, [&] { return sigma_for(r, epsilon, delta); });
}

Account account(const Releases& r, double sigma, double delta) {
  thread_local Memory<Account> known;
  return known(r, sigma, delta, [&] { return account_at(r, sigma, delta); });
}

EpsilonCurve epsilon_curve(const Releases& r, double sigma, double delta, const Account& account) {
  thread_local Memory<EpsilonCurve> known;
  if (!r.stops.empty()) throw LibraryError("only the last of these rounds releases something");
  Releases round = r;
  round.list = {r.of_every_round()};
  const double rounds = std::exchange(round.list.front().times, 1);
  return known(r, sigma, delta, [&] {
    return EpsilonCurve(compose(round, sigma, account.split), delta,
                        static_cast<std::size_t>(rounds), account.epsilon.value);
  });
}

EpsilonCurve epsilon_curve(const Releases& r, double sigma, double delta, const Account& account,
                           double rounds, const TimesAfter& times_after) {
  const auto last = static_cast<std::size_t>(rounds);
  if (!r.stops.empty()) return EpsilonCurve({last}, {account.epsilon.value});
  Options quick;
  quick.effort = {.tolerance = 5e-3, .most_points = 1U << 16U};
  // About 24 numbers of rounds, so that the start of a run does not take long.
  const double step = std::max(1.1, std::pow(rounds, 1.0 / 24));
  std::vector<std::size_t> chosen;
  std::vector<double> epsilons;
  for (double t = 1; static_cast<std::size_t>(t) < last;
       t = std::max(t + 1, std::floor(t * step))) {
    Releases part = r;
    const auto times = times_after(t);
    for (std::size_t i = 0; i < part.list.size(); ++i) part.list[i].times = times[i];
    const Result found =
        accounting::epsilon(without_idle(compose(part, sigma, account.split)), delta, quick);
    chosen.push_back(static_cast<std::size_t>(t));
    epsilons.push_back(std::min(found.value, account.epsilon.value));
  }
  chosen.push_back(last);
  epsilons.push_back(account.epsilon.value);
  return EpsilonCurve(std::move(chosen), std::move(epsilons));
}

}  // namespace trilemma
