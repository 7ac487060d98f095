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
    if (sampled > 0)
      out.components.push_back(
          {release.sampling, release.rate, sampled_share * noise / sampled, release.times});
    if (full > 0)
      out.components.push_back({Sampling::none, 1, full_share * noise / full, release.times});
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

namespace {

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
  Releases round = r;
  round.list = {r.of_every_round()};
  const double rounds = std::exchange(round.list.front().times, 1);
  return known(r, sigma, delta, [&] {
    return EpsilonCurve(compose(round, sigma, account.split), delta,
                        static_cast<std::size_t>(rounds), account.epsilon.value);
  });
}

}  // namespace trilemma
