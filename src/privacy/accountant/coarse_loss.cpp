#include "privacy/accountant/coarse_loss.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "privacy/accountant/root.hpp"
#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Larger tilts are useless.
constexpr double most_log = 20;

// Returns the minimiser of a function of s > 0 with one minimum: doubles steps from `start`, then
// uses golden section in log s.
double minimise(const std::function<double(double)>& f, double start) {
  auto g = [&f](double t) { return f(std::exp(t)); };
  double middle = std::log(start);
  double step = std::log(2.0);
  double at_middle = g(middle);
  if (!(g(middle + step) < at_middle)) step = -step;
  for (int i = 0; i < 50 && std::abs(middle) < most_log; ++i) {
    const double value = g(middle + step);
    if (!(value < at_middle)) break;
    middle += step;
    at_middle = value;
  }
  return std::exp(golden_section(g, middle - std::abs(step), middle + std::abs(step), 10));
}

// Returns the smallest exponent whose bound is close to the least bound. The cells of the grid must
// resolve this exponent, so a large exponent with no advantage would cost cells.
double least_exponent(const std::function<double(double)>& bound, double start) {
  double s = minimise(bound, start);
  const double good = bound(s) + 2e-3 * std::abs(bound(s));
  while (s > 1e-6 && bound(0.5 * s) <= good) s *= 0.5;
  return s;
}

// Adds a cell with the loss that keeps E_P[exp(-L)] = 1, so that small errors do not add up over
// many steps.
void add_cell(const Masses& mass, CoarseCells& cells) {
  if (!(mass.p > 0 && mass.q > 0)) return;
  cells.loss.push_back(std::log(mass.p / mass.q));
  cells.log_p.push_back(std::log(mass.p));
}

CoarseCells coarse_cells(const DominatingPair& pair, double cut) {
  CoarseCells cells;
  const double reach = normal_upper_quantile(cut);
  const double z = pair.sigma();
  // Points every z/12 around each of the means -1, 0, 1, merged in order.
  std::vector<double> places;
  const auto count = static_cast<int>(12 * reach);
  for (const double mean : {-1.0, 0.0, 1.0})
    for (int i = -count; i <= count; ++i) places.push_back(mean + z * i / 12.0);
  std::sort(places.begin(), places.end());
  DominatingPair::Place from = pair.place(places.front());
  for (std::size_t i = 1; i < places.size(); ++i) {
    const DominatingPair::Place to = pair.place(places[i]);
    add_cell(pair.between(from, to), cells);
    from = to;
  }
  return cells;
}

CoarseCells coarse_cells(const LossAtoms& pair, double cut) {
  constexpr double count = 1000;
  CoarseCells cells;
  const auto [least, most] = loss_range(pair, cut);
  const double width = (most - least) / count;
  LossAtoms::Place from{least, 0};
  for (double i = 0; i <= count; ++i) {
    const LossAtoms::Place to = pair.place(i < count ? least + i * width : most);
    add_cell(pair.between(from, to), cells);
    from = to;
  }
  return cells;
}

}  // namespace

CoarseLoss::CoarseLoss(const std::vector<Repeated>& steps, double cut) {
  for (const auto& part : steps)
    parts_.push_back(
        {part.steps,
         std::visit([&](const auto& pair) { return coarse_cells(pair, cut); }, part.pair)});
}

double CoarseLoss::one(std::size_t j, double s) const {
  const CoarseCells& atoms = parts_[j].cells;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < atoms.loss.size(); ++i)
    most = std::max(most, s * atoms.loss[i] + atoms.log_p[i]);
  double sum = 0;
  for (std::size_t i = 0; i < atoms.loss.size(); ++i)
    sum += std::exp(s * atoms.loss[i] + atoms.log_p[i] - most);
  return most + std::log(sum);
}

double CoarseLoss::cumulant(double s) const {
  double sum = 0;
  for (std::size_t j = 0; j < parts_.size(); ++j) sum += parts_[j].steps * one(j, s);
  return sum;
}

double CoarseLoss::log_delta(double theta, double epsilon) const {
  const double a = 1 + theta;
  return cumulant(theta) - theta * epsilon + a * std::log(theta / a) - std::log(theta);
}

double CoarseLoss::tilt_for_delta(double delta) const {
  return minimise(
      [&](double theta) {
        return (cumulant(theta) - std::log(delta) - std::log1p(theta)) / theta +
               std::log(theta / (1 + theta));
      },
      1.0);
}

double CoarseLoss::tilt_for_epsilon(double epsilon) const {
  return minimise([&](double theta) { return log_delta(theta, epsilon); }, 1.0);
}

double CoarseLoss::reach(double tilt, double nats) const {
  const double centre = cumulant(tilt);
  auto beyond = [&](double s) { return (cumulant(tilt + s) - centre + nats) / s; };
  return beyond(minimise(beyond, 1 + tilt));
}

Window CoarseLoss::window(double tilt, double log_delta, double epsilon, double seek) const {
  const double centre = cumulant(tilt);
  // Tilted mass contributes e^(centre - tilt epsilon) times its size to delta(epsilon).
  const double nats = 18 + std::max(0.0, centre - tilt * epsilon - log_delta);
  auto above = [&](double theta) { return (cumulant(theta) - log_delta + 18) / theta; };
  auto beyond = [&](double s) { return (cumulant(tilt + s) - centre + nats) / s; };
  auto below = [&](double s) { return (cumulant(tilt - s) - centre + nats) / s; };
  const double start = 1 + tilt;
  const double theta = least_exponent(above, start);
  const double s_below = least_exponent(below, start);
  const double s_wrapped = least_exponent(beyond, start);
  const double first = -below(s_below);
  // The mass beyond last + (seek - first) must be negligible.
  const double last = std::max({above(theta), beyond(s_wrapped) - (seek - first), epsilon});
  const double margin = 0.02 * (last - first);
  return {first - margin, last + margin, theta, s_below, s_wrapped, seek};
}

}  // namespace trilemma::accounting
