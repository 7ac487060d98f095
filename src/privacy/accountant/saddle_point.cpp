#include "privacy/accountant/saddle_point.hpp"

#include <boost/math/quadrature/gauss.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "privacy/accountant/one_step.hpp"
#include "privacy/accountant/renyi.hpp"

namespace trilemma::accounting {
namespace {

constexpr double most_nodes = 200000;

using Complex = std::complex<double>;

// The cumulant function K(s) = sum_j T_j log E_Q[(P/Q)^(1+s)] for complex s, by the trapezoid rule
// on stored nodes.
class Cumulant {
 public:
  Cumulant(const Composition& composition, bool add, double c, double t_most) {
    for (const auto& part : composition.components) {
      const auto pairs = pairs_of(composition.relation, part);
      const DominatingPair& pair = add ? pairs.back() : pairs.front();
      const double z = pair.sigma();
      const double step = std::min({z / 8, std::numbers::pi * z * z / 12,
                                    std::numbers::pi * z * z / (2 * std::max(t_most, 1e-300))});
      Nodes nodes{part.steps, {}, {}};
      const double scale = std::log(step / (z * std::sqrt(2 * std::numbers::pi)));
      const double last = 2 * (1 + c) + 1 + 14 * z;
      if (!((last + 1 + 14 * z) / step < most_nodes))
        throw std::length_error("the contour needs too many nodes");
      for (double x = -1 - 14 * z; x <= last; x += step) {
        nodes.log_weight.push_back(pair.log_density_q(x) + scale);
        nodes.loss.push_back(pair.loss(x));
      }
      parts_.push_back(std::move(nodes));
    }
  }

  Complex at(Complex s) const {
    Complex sum = 0;
    for (const auto& part : parts_) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < part.loss.size(); ++i)
        most = std::max(most, part.log_weight[i] + (1 + s.real()) * part.loss[i]);
      Complex total = 0;
      for (std::size_t i = 0; i < part.loss.size(); ++i)
        total += std::polar(std::exp(part.log_weight[i] + (1 + s.real()) * part.loss[i] - most),
                            s.imag() * part.loss[i]);
      sum += part.steps * (most + std::log(total));
    }
    return sum;
  }

 private:
  struct Nodes {
    double steps;
    std::vector<double> log_weight, loss;
  };
  std::vector<Nodes> parts_;
};

double saddle(const Cumulant& cumulant, double epsilon) {
  auto f = [&](double log_c) {
    const double c = std::exp(log_c);
    return cumulant.at(c).real() - c * epsilon - std::log(c * (c + 1));
  };
  double best = 0;
  for (double step = 2; step > 1e-3; step /= 2) {
    while (f(best + step) < f(best)) best += step;
    while (f(best - step) < f(best)) best -= step;
  }
  return std::exp(best);
}

double one_direction(const Composition& composition, bool add, double epsilon) {
  double c = saddle(Cumulant(composition, add, 64, 0), epsilon);
  if (c > 32) c = saddle(Cumulant(composition, add, 8 * c, 0), epsilon);
  const Cumulant real(composition, add, c, 0);
  const double top = real.at(c).real() - c * epsilon;
  // The width of the integrand follows from the curvature at the saddle point; the integral ends
  // where the integrand has vanished.
  const double probe = 1e-3 * (1 + c);
  const double curvature = (real.at(c + probe).real() + real.at(c - std::min(probe, c / 2)).real() -
                            2 * real.at(c).real()) /
                           (probe * std::min(probe, c / 2));
  double panel = std::min(1 / std::sqrt(std::max(curvature, 1e-12)), c + 1);
  double t_most = 8 * panel;
  auto integrand = [&](const Cumulant& cumulant, double t) {
    const Complex s(c, t);
    return std::exp(cumulant.at(s) - s * epsilon - top) / (s * (s + 1.0));
  };
  while (true) {
    const Cumulant trial(composition, add, c, t_most);
    if (std::abs(integrand(trial, t_most)) < 1e-13 * std::abs(integrand(trial, 0))) break;
    t_most *= 1.5;
    if (t_most > 200 * panel) return std::numeric_limits<double>::quiet_NaN();
  }
  const Cumulant cumulant(composition, add, c, t_most);
  const auto count = static_cast<int>(std::ceil(t_most / panel));
  panel = t_most / count;
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += boost::math::quadrature::gauss<double, 15>::integrate(
        [&](double t) { return integrand(cumulant, t).real(); }, i * panel, (i + 1) * panel);
  return top + std::log(sum / std::numbers::pi);
}

}  // namespace

double saddle_point_log_delta(const Composition& composition, double epsilon) try {
  const double remove = one_direction(composition, false, epsilon);
  if (composition.relation == Relation::replace_one) return remove;
  const double add = one_direction(composition, true, epsilon);
  return std::isnan(add) ? remove : std::max(remove, add);
} catch (const std::length_error&) {
  return std::numeric_limits<double>::quiet_NaN();
}

Result saddle_point_epsilon(const Composition& composition, double delta) {
  const double target = std::log(delta);
  const double start = renyi_epsilon(composition, delta).value;
  auto f = [&](double epsilon) { return saddle_point_log_delta(composition, epsilon) - target; };
  Bracket bracket{0.5 * start, start};
  double f_low = f(bracket.low);
  while (f_low <= 0 && bracket.low > 1e-9 * start) {
    bracket.high = bracket.low;
    bracket.low /= 2;
    f_low = f(bracket.low);
  }
  const double f_high = f(bracket.high);
  Result result;
  result.method = "saddle_point";
  result.certified = false;
  if (std::isnan(f_low) || std::isnan(f_high) || f_low <= 0 || f_high > 0) {
    result.status = Status::not_converged;
    result.value = result.upper = start;
    result.order = 0;
    result.warnings.push_back("the contour integral does not converge; the value is the RDP bound");
    return result;
  }
  const Bracket root = narrow(f, bracket, f_low, f_high, 1e-10, 60);
  result.lower = root.low;
  result.value = result.upper = root.high;
  return result;
}

}  // namespace trilemma::accounting
