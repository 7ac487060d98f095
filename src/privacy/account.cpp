#include "privacy/account.hpp"

#include <cmath>

#include "privacy/accountant/calibrate.hpp"
#include "privacy/accountant/root.hpp"

namespace trilemma {
namespace {

using namespace accounting;

// Bounds within this relative width are tight enough for a run's record.
constexpr double tolerance = 5e-4;
constexpr std::size_t most_grid_points = 1U << 18U;

double round_up(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 9);
  return std::ceil(value / unit) * unit;
}

}  // namespace

Options run_options(double wanted) {
  Options out;
  out.effort.tolerance = wanted;
  out.effort.most_points = most_grid_points;
  return out;
}

Composition compose(const Releases& r, double sigma, double split, double rounds) {
  Composition out{r.relation, {}};
  const bool both = r.sensitivity.sampled > 0 && r.sensitivity.full > 0;
  const double sampled_share = both ? std::sqrt(split) : 1;
  const double full_share = both ? std::sqrt(1 - split) : 1;
  if (r.sensitivity.sampled > 0)
    out.components.push_back(
        {r.sampling, r.rate, sampled_share * sigma / r.sensitivity.sampled, rounds});
  if (r.sensitivity.full > 0)
    out.components.push_back({Sampling::none, 1, full_share * sigma / r.sensitivity.full, rounds});
  return out;
}

double best_split(const Releases& r, double sigma, double delta) {
  if (!(r.sensitivity.sampled > 0 && r.sensitivity.full > 0)) return 0.5;
  // Over log(split / (1 - split)).
  auto share = [](double t) { return 1 / (1 + std::exp(-t)); };
  auto bound = [&](double t) {
    return renyi_epsilon(compose(r, sigma, share(t), r.rounds), delta).value;
  };
  return share(golden_section(bound, -12, 12, 20));
}

double calibrated_sigma(const Releases& r, double epsilon, double delta) {
  Options quick;
  quick.method = Method::rdp;
  double split = 0.5;
  for (int i = 0; i < 2 && r.sensitivity.sampled > 0 && r.sensitivity.full > 0; ++i) {
    const double sigma =
        calibrate_noise(compose(r, 1, split, r.rounds), epsilon, delta, quick).value;
    split = best_split(r, sigma, delta);
  }
  double sigma = round_up(
      calibrate_noise(compose(r, 1, split, r.rounds), epsilon, delta, run_options(tolerance))
          .value);
  // The split that account() will choose differs a little; a hair more noise makes up for it.
  for (int i = 0; i < 100 && account(r, sigma, delta).epsilon.value > epsilon; ++i)
    sigma = round_up(sigma * (1 + 1e-6 * std::pow(1.5, i)));
  return sigma;
}

Account account(const Releases& r, double sigma, double delta) {
  Account out;
  out.split = best_split(r, sigma, delta);
  out.tolerance = tolerance;
  out.composition = compose(r, sigma, out.split, r.rounds);
  out.epsilon = accounting::epsilon(out.composition, delta, run_options(tolerance));
  if (out.epsilon.method != "rdp" && out.epsilon.method != "none")
    out.crosscheck = renyi_epsilon(without_idle(out.composition), delta);
  return out;
}

EpsilonCurve epsilon_curve(const Releases& r, double sigma, double delta, const Account& account) {
  return {compose(r, sigma, account.split, 1), delta, static_cast<std::size_t>(r.rounds),
          account.epsilon.value};
}

}  // namespace trilemma
