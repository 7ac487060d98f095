#include "privacy/accountant/loss_grid.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// Largest number of cells of a step.
constexpr std::size_t most_cells = 1U << 19U;

// A grid point must coincide with the loss of a step that reveals nothing (most units are not
// drawn), or the rounding of that loss accumulates over the steps.
template <class Pair>
double bulk_loss(const Pair& pair, double h) {
  double offset = pair.loss(0);
  for (int i = 0; i < 4; ++i) {
    const auto low = pair.place(pair.where(offset - h / 2));
    const auto high = pair.place(pair.where(offset + h / 2));
    const Masses bin = pair.between(low, high);
    if (!(bin.p > 0 && bin.q > 0)) break;
    const double mean = std::log(bin.p / bin.q);
    if (!(std::abs(mean - offset) < h)) break;
    offset = mean;
  }
  return offset;
}

// Iterates over the grid from the lower to the upper end. Where the tilted mass is small, cells may
// be several steps wide: their effect on the variance of the composed loss is negligible.
template <class Pair>
class Knots {
 public:
  Knots(const Pair& pair, const GridSpec& spec, double offset)
      : pair_(pair), spec_(spec), offset_(offset) {}

  double loss(long index) const { return offset_ + static_cast<double>(index) * spec_.step; }
  typename Pair::Place at(double loss) const { return pair_.place(pair_.where(loss)); }

  long next(long from, const typename Pair::Place& place) {
    stride_ = std::min(2 * stride_, most(loss(from)));
    for (; stride_ > 1; stride_ /= 2) {
      const double end = loss(from + stride_);
      const double mass = pair_.between(place, at(end)).p;
      const double tilted = mass * std::exp(std::min(700.0, spec_.tilt * end - spec_.log_mgf));
      const auto width = static_cast<double>(stride_);
      if (width * width * tilted < negligible) break;
    }
    return from + stride_;
  }

 private:
  static constexpr double negligible = 5e-6;
  // Returns the largest cell width: cells must be narrow relative to the scale on which every
  // exponential summed over them grows.
  long most(double loss) const {
    const double steepest = std::max(spec_.tilt, loss < 0 ? spec_.decay : spec_.growth);
    const double width = 0.25 / ((1 + steepest) * spec_.step);
    return width < 1 ? 1 : static_cast<long>(std::min(width, 1e6));
  }

  const Pair& pair_;
  const GridSpec& spec_;
  double offset_;
  long stride_ = 1;
};

// Returns q e^loss without overflow.
double scaled(double q, double loss) { return q == 0 ? 0 : std::exp(loss + std::log(q)); }

// A function of t = e^loss that is linear between knots and zero after the last one, stored as its
// kinks: the increase of the slope at every knot, mass / t. Kinks of very different sizes keep
// their relative accuracy; slopes, which are sums of kinks, would not. Long double represents
// e^loss for every loss that occurs.
class Kinks {
 public:
  Kinks(const std::vector<double>& loss, const std::vector<double>& mass) {
    for (std::size_t k = 0; k < mass.size(); ++k) {
      t_.push_back(std::exp(static_cast<long double>(loss[k])));
      kink_.push_back(mass[k] / t_[k]);
    }
  }

  // Lowers the function to its convex hull: a knot with a negative kink lies above the chord of its
  // neighbours and is dropped; the neighbours share its kink by the lever rule. The left neighbour
  // of the first knot is the origin, whose kink is never read.
  void pool() {
    const std::size_t n = t_.size();
    std::vector<std::size_t> before(n), after(n);
    for (std::size_t k = 0; k < n; ++k) {
      before[k] = k - 1;  // for the first knot, which has none, a huge number
      after[k] = k + 1;
    }
    for (std::size_t k = 0; k < n;) {
      const std::size_t left = before[k];
      const std::size_t right = after[k];
      if (kink_[k] >= 0 || right >= n) {
        k = right;
        continue;
      }
      const long double from = left < n ? t_[left] : 0;
      const long double share = (t_[k] - from) / (t_[right] - from);
      kink_[right] += share * kink_[k];
      if (left < n) {
        kink_[left] += (1 - share) * kink_[k];
        after[left] = right;
      }
      before[right] = left;
      kink_[k] = 0;
      k = left < n && kink_[left] < 0 ? left : right;
    }
  }

  // Sets a convex function, whose value at the last knot is `last_value`, to zero from the knot
  // before its first negative value on. This can make the kink before that knot negative.
  void cut(long double last_value) {
    std::vector<long double> value(t_.size(), last_value);
    std::vector<long double> fall(t_.size(), kink_.back());  // minus the slope left of the knot
    for (std::size_t k = t_.size() - 1; k-- > 0;) {
      value[k] = value[k + 1] + fall[k + 1] * (t_[k + 1] - t_[k]);
      fall[k] = fall[k + 1] + kink_[k];
    }
    const auto negative =
        std::find_if(value.begin(), value.end(), [](long double v) { return v < 0; });
    if (negative == value.end() || negative == value.begin()) return;
    const auto end = static_cast<std::size_t>(negative - value.begin()) - 1;
    const long double steeper = value[end] / (end == 0 ? t_[0] : t_[end] - t_[end - 1]);
    kink_[end] = fall[end] + steeper;
    if (end > 0) kink_[end - 1] -= steeper;
    std::fill(kink_.begin() + static_cast<std::ptrdiff_t>(end) + 1, kink_.end(), 0.0L);
  }

  void write(std::vector<double>& mass) const {
    for (std::size_t k = 0; k < mass.size(); ++k)
      mass[k] = static_cast<double>(std::max(0.0L, kink_[k] * t_[k]));
  }

 private:
  std::vector<long double> t_, kink_;
};

// The ends of the cells of the grid, ascending: their losses and places. The mass below the first
// end and above the last belongs to no cell.
template <class Pair>
struct Ladder {
  std::vector<double> loss;
  std::vector<typename Pair::Place> place;
};

// Fills the pessimistic grid.upper: the P mass of a cell is split between the two ends of the cell
// so that its Q mass is unchanged.
template <class Pair>
void spread(const Pair& pair, const Ladder<Pair>& ladder, LossGrid& grid) {
  const std::size_t n = ladder.loss.size();
  grid.upper.assign(n, 0.0);
  grid.upper[0] = pair.between(pair.place(-inf), ladder.place[0]).p;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const Masses cell = pair.between(ladder.place[k], ladder.place[k + 1]);
    const double width = ladder.loss[k + 1] - ladder.loss[k];
    const double up =
        std::clamp((cell.p - scaled(cell.q, ladder.loss[k])) / -std::expm1(-width), 0.0, cell.p);
    grid.upper[k] += cell.p - up;
    grid.upper[k + 1] += up;
  }
  grid.infinite = pair.between(ladder.place[n - 1], pair.place(inf)).p;
}

// On a coarse grid the chords of contract() may not be convex, or fall below zero before they end;
// both are corrected downwards. `last_gap` is the gap of the last knot.
void make_convex(const std::vector<double>& loss, double last_gap, LossGrid& grid) {
  const bool convex =
      std::none_of(grid.lower.begin(), grid.lower.end(), [](double m) { return m < 0; });
  if (convex && last_gap >= 0) return;
  Kinks kinks(loss, grid.lower);
  kinks.pool();
  kinks.cut(std::min(last_gap, 0.0));
  kinks.pool();
  kinks.write(grid.lower);
}

// Optimistic. With a tangent of delta(t), t = e^loss, at a point in every cell, the bin of a knot
// extends from the tangent point on its left to that on its right, and gap = p - t q of the bin is
// the height of the left tangent above the right one at the knot. The lower of the two is the value
// at the knot; chords between these values move mass only between neighbouring knots. `tail` is the
// probability that may be dropped at the lower end.
template <class Pair>
void contract(const Pair& pair, const Ladder<Pair>& ladder, double tail, LossGrid& grid) {
  const std::size_t n = ladder.loss.size();
  grid.lower.assign(n, 0.0);
  // Left of the first knot with mass below it, the tangent is 1 - t.
  std::size_t k = 0;
  const typename Pair::Place bottom = pair.place(-inf);
  while (k + 1 < n && pair.between(bottom, ladder.place[k]).p == 0) ++k;
  const std::size_t start = k;
  Masses left = pair.between(bottom, ladder.place[k]);
  double previous_gap = 0;
  for (; k < n; ++k) {
    const bool end = k + 1 == n;
    const double loss = ladder.loss[k];
    const double width = end ? 0 : ladder.loss[k + 1] - loss;
    typename Pair::Place cut = end ? ladder.place[k] : pair.place(pair.where(loss + width / 2));
    if (k == start && !end && pair.between(bottom, cut).p <= tail) {
      // The tangent on the right extends down to t = 0, which drops all mass left of it. At a knot
      // this far out, a chord that meets 1 - t would be too steep for so little mass.
      left = pair.between(cut, ladder.place[k + 1]);
      continue;
    }
    auto gap_at = [&](const typename Pair::Place& place) {
      const Masses right = pair.between(ladder.place[k], place);
      return (left.p - scaled(left.q, loss)) + (right.p - scaled(right.q, loss));
    };
    double gap = gap_at(cut);
    if (k == start && gap > 0) {
      // A first knot below the mean of its bin would lose mass: uses the tangent that meets 1 - t
      // there.
      double low = 0;
      double high = width / 2;
      for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (low + high);
        cut = pair.place(pair.where(loss + middle));
        (gap_at(cut) > 0 ? high : low) = middle;
      }
      cut = pair.place(pair.where(loss + low));
      gap = gap_at(cut);
    }
    const Masses right = pair.between(ladder.place[k], cut);
    double mass = left.p + right.p - gap;
    if (k > start) {
      const double left_width = loss - ladder.loss[k - 1];
      mass += (std::max(gap, 0.0) - std::max(-previous_gap, 0.0)) / -std::expm1(-left_width);
      grid.lower[k - 1] -= std::max(gap, 0.0) / std::expm1(left_width);
    }
    if (!end) mass += std::max(-gap, 0.0) / std::expm1(width);
    grid.lower[k] = mass;
    previous_gap = gap;
    if (!end) left = pair.between(cut, ladder.place[k + 1]);
  }
  make_convex(ladder.loss, previous_gap, grid);
}

template <class Pair>
LossGrid discretised(const Pair& pair, const GridSpec& spec) {
  const double h = spec.step;
  const auto [least, most] = loss_range(pair, spec.tail);
  LossGrid grid;
  grid.offset = bulk_loss(pair, h);
  Knots<Pair> knots(pair, spec, grid.offset);
  const auto last = static_cast<long>(std::ceil((most - grid.offset) / h)) + 1;
  Ladder<Pair> ladder;
  for (auto here = static_cast<long>(std::floor((least - grid.offset) / h)) - 1;;
       here = knots.next(here, ladder.place.back())) {
    grid.index.push_back(here);
    ladder.loss.push_back(knots.loss(here));
    ladder.place.push_back(knots.at(ladder.loss.back()));
    if (here >= last) break;
    if (ladder.loss.size() > most_cells)
      throw std::length_error("the loss of one step does not fit on the grid");
  }
  spread(pair, ladder, grid);
  contract(pair, ladder, spec.tail, grid);
  return grid;
}

}  // namespace

LossGrid discretise(const StepPair& pair, const GridSpec& spec) {
  return std::visit([&](const auto& found) { return discretised(found, spec); }, pair);
}

}  // namespace trilemma::accounting
