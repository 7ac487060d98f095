#include "tests/claim_oracle/lattice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/claim_oracle/loss.hpp"

namespace trilemma::claims {
namespace {

using Complex = std::complex<double>;

/// In-place transform of a power of two numbers (Cooley and Tukey 1965).
void transform(std::vector<Complex>& a, double sign) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  std::vector<Complex> root(n / 2);
  for (std::size_t i = 0; i < n / 2; ++i)
    root[i] = std::polar(
        1.0, sign * 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  for (std::size_t length = 2; length <= n; length <<= 1)
    for (std::size_t i = 0; i < n; i += length)
      for (std::size_t j = 0; j < length / 2; ++j) {
        const Complex u = a[i + j], v = a[i + j + length / 2] * root[j * (n / length)];
        a[i + j] = u + v;
        a[i + j + length / 2] = u - v;
      }
}

/// A cell of outputs: its mass under the first law, tilted, and its loss.
struct Cell {
  double weight, loss;
};

/// Cells about h wide in the loss. Merging outputs into cells is post-processing.
std::vector<Cell> cells_of(const Loss& loss, double theta, double log_sum, double h) {
  const double low = loss.rises_from(), high = loss.most() + most_tilt + reach;
  double x = low, origin = 0;
  if (loss.falls_without_end()) {
    // Losses near 0 have much of the mass where the sampling rate is small: a cell is around 0.
    origin = h * std::floor(loss.at(low).value / h);
  } else {
    // Much of the mass is in the first cell then; the lattice starts at its loss.
    origin = loss.at(low).value;
    for (int step = 0; step < 60; ++step) {
      const Slope here = loss.at(x);
      x += std::clamp((origin + h / 2 - here.value) / here.derivative, -0.25, 0.25);
      x = std::clamp(x, low, high);
      origin = std::log(loss.mass_of(-infinite, x, &Atom::first) /
                        loss.mass_of(-infinite, x, &Atom::second));
    }
  }
  std::vector<Cell> cells;
  const auto add = [&](double a, double b) {
    const double p = loss.mass_of(a, b, &Atom::first), q = loss.mass_of(a, b, &Atom::second);
    const double value = q > 1e-290 ? std::log(p / q) : loss.at(a).value;
    if (p > 0) cells.push_back({std::exp(std::log(p) + theta * value - log_sum), value});
  };
  add(-infinite, x);
  double edge = origin + 1.5 * h, by = 0;
  while (edge <= loss.at(x).value) edge += h;
  for (; x < high && cells.size() < (1U << 20); edge += h) {
    double next = x + by;
    for (int step = 0; step < 200; ++step) {
      const Slope here = loss.at(next);
      const double change = (edge - here.value) / here.derivative;
      next = std::max(x, next + std::min(change, 0.25));
      if (std::abs(edge - here.value) < 0.01 * h) break;
    }
    if (next > high || next <= x) break;
    add(x, next);
    by = next - x;
    x = next;
  }
  add(x, infinite);
  return cells;
}

/// Part of h by which rounding down to the lattice origin + part h + k h loses least.
double best_origin(const std::vector<Cell>& cells, double h) {
  const auto lost = [&](double part) {
    double sum = 0;
    for (std::size_t i = 0; i < cells.size(); i += i < 64 || cells.size() < 4096 ? 1 : 16) {
      const double place = (cells[i].loss - cells.front().loss) / h - part;
      sum += cells[i].weight * (place - std::floor(place));
    }
    return sum;
  };
  double best = 0, least = infinite;
  for (double width : {1.0, 1.0 / 32, 1.0 / 1024}) {
    const double centre = best;
    for (int i = -32; i <= 32; ++i) {
      const double part = centre + i * width / 32;
      if (const double here = lost(part); here < least) least = here, best = part;
    }
  }
  return best;
}

/// Points of the transform: rounding costs about rounds h^2 / (12 std of a round) of epsilon.
std::size_t lattice_points(long rounds) {
  const double wanted = std::sqrt(100000 * std::pow(static_cast<double>(rounds), 1.5));
  return std::bit_ceil(static_cast<std::size_t>(std::clamp(wanted, 8192.0, 131072.0)));
}

/// At most the probability that the sum of `rounds` tilted losses is further than `distance` from
/// its mean (Chernoff), with `width` its standard deviation.
double beyond(const Moments& moments, const Tilted& tilted, double theta, double rounds,
              double distance, double width) {
  double above = 1, below = 1;
  for (double times : {0.5, 1.0, 2.0, 3.0, 4.5, 6.5, 9.0}) {
    const double s = times / width;
    const auto bound = [&](double tilt) {
      const double log_sum = moments.tilt(theta + tilt).log_sum - tilted.log_sum;
      return std::exp(rounds * (log_sum - tilt * tilted.mean) - s * distance);
    };
    above = std::min(above, bound(s));
    below = std::min(below, bound(-s));
  }
  return above + below;
}

/// One round: the mass beyond the place where the loss is epsilon, on both sides of it exact.
double one_round(const Loss& loss, double epsilon) {
  const double from = loss.rises_from();
  double low = from, high = loss.most() + most_tilt + reach;
  if (loss.at(high).value <= epsilon) return 0;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (loss.at(middle).value > epsilon ? high : low) = middle;
  }
  return std::max(0.0, loss.mass_of(high, infinite, &Atom::first) -
                           std::exp(epsilon) * loss.mass_of(high, infinite, &Atom::second));
}

/// Sum over the lattice of (1 - e^(epsilon - l)) e^(-theta (l - epsilon)) where l > epsilon.
double weigh(const std::vector<Complex>& law, double base, double h, double middle, double theta,
             double epsilon) {
  const auto n = static_cast<long>(law.size());
  const long start = std::lround(middle) - n / 2;
  double sum = 0;
  for (long s = start; s < start + n; ++s) {
    const double above = base + static_cast<double>(s) * h - epsilon;
    if (above <= 0) continue;
    const double p =
        law[static_cast<std::size_t>(((s % n) + n) % n)].real() / static_cast<double>(n);
    sum += p * -std::expm1(-above) * std::exp(-theta * above);
  }
  return sum;
}

/// The profile of the composition, for two rounds or more.
double all_rounds(const Loss& loss, long rounds, double epsilon) {
  const auto t = static_cast<double>(rounds);
  const Moments moments(loss);
  double low = 0, theta = most_tilt / loss.span();
  if (moments.tilt(theta).mean * t < epsilon) return 0;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + theta) / 2;
    (moments.tilt(middle).mean * t < epsilon ? low : theta) = middle;
  }
  const Tilted tilted = moments.tilt(theta);
  const double width = std::sqrt(t * tilted.variance);
  const std::size_t n = lattice_points(rounds) * (loss.falls_without_end() ? 4 : 1);
  double window = 20 * width, outside = 1;
  for (; window < 2000 * width; window *= 1.4)
    if ((outside = beyond(moments, tilted, theta, t, window / 2, width)) < 1e-9) break;
  const double h = window / static_cast<double>(n);
  const std::vector<Cell> cells = cells_of(loss, theta, tilted.log_sum, h);
  const double origin = cells.front().loss + best_origin(cells, h) * h;
  std::vector<Complex> law(n);
  double total = 0, middle = 0;
  for (const Cell& cell : cells) {
    const double place = std::floor((cell.loss - origin) / h);
    // Rounding down the loss takes its part of the tilt along.
    const double p = cell.weight * std::exp(theta * (origin + place * h - cell.loss));
    law[static_cast<std::size_t>(static_cast<long>(place) & static_cast<long>(n - 1))] += p;
    total += p;
    middle += p * place;
  }
  transform(law, -1);
  for (Complex& value : law) {
    const Complex part = value / total;
    value = std::polar(std::pow(std::abs(part), t), std::arg(part) * t);
  }
  transform(law, 1);
  const double sum = weigh(law, t * origin, h, middle / total * t, theta, epsilon);
  const double sure = sum - outside - 1e-11;
  if (sure <= 0) return 0;
  return std::exp(t * (tilted.log_sum + std::log(total)) - theta * epsilon) * sure;
}

}  // namespace

double lattice_delta(const DominatingPair& pair, long rounds, double epsilon) {
  const Loss loss(pair);
  if (!(loss.span() > 0)) return 0;
  if (rounds == 1) return one_round(loss, epsilon);
  return std::max(one_round(loss, epsilon), all_rounds(loss, rounds, epsilon));
}

}  // namespace trilemma::claims
