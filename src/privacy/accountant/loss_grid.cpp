#include "privacy/accountant/loss_grid.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "privacy/accountant/special.hpp"

namespace trilemma::accounting {
namespace {

// A step that needs more cells than this is beyond what a grid can do.
constexpr std::size_t most_cells = 1U << 19U;

// A grid point must lie where a step that reveals nothing (most units are not drawn) has its loss,
// or the rounding of that loss adds up over the steps.
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

// Walks the grid from the lower to the upper end. Where the tilted mass is small, cells may be
// several steps wide: what they add to the variance of the composed loss stays negligible.
class Knots {
 public:
  Knots(const Pair& pair, const GridSpec& spec, double offset)
      : pair_(pair), spec_(spec), offset_(offset) {}

  double loss(long index) const { return offset_ + static_cast<double>(index) * spec_.step; }
  Pair::Place at(double loss) const { return pair_.place(pair_.where(loss)); }

  long next(long from, const Pair::Place& place) {
    stride_ = std::min(2 * stride_, most());
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
  long most() const {
    const double width = 0.25 / ((1 + spec_.tilt) * spec_.step);
    return width < 1 ? 1 : static_cast<long>(std::min(width, 1e6));
  }

  const Pair& pair_;
  const GridSpec& spec_;
  double offset_;
  long stride_ = 1;
};

// q e^loss without overflow.
double scaled(double q, double loss) { return q == 0 ? 0 : std::exp(loss + std::log(q)); }

// A function of t = e^loss, linear between knots and zero after the last. Segment k lies left of
// knot k, the first begins at t = 0; its slope is minus the Q probability of the knots from k on.
// Long double holds e^loss for every loss that occurs.
class Chain {
 public:
  Chain(const std::vector<double>& loss, const std::vector<double>& mass)
      : slope_(mass.size() + 1, 0.0L), changed_(mass.size() + 1, false) {
    for (const double l : loss) t_.push_back(std::exp(static_cast<long double>(l)));
    for (std::size_t k = mass.size(); k-- > 0;) slope_[k] = slope_[k + 1] + mass[k] / t_[k];
  }

  // Convex hull: pools neighbouring segments whose slopes rise too late (pool adjacent violators,
  // weighted with the widths).
  void pool() {
    struct Block {
      std::size_t first, count;
      long double width, slope;
    };
    std::vector<Block> blocks;
    for (std::size_t k = 0; k < t_.size(); ++k) {
      Block block{k, 1, width(k), slope_[k]};
      while (!blocks.empty() && blocks.back().slope < block.slope) {
        const Block& left = blocks.back();
        const long double both = left.width + block.width;
        block = {left.first, left.count + block.count, both,
                 (left.slope * left.width + block.slope * block.width) / both};
        blocks.pop_back();
      }
      blocks.push_back(block);
    }
    for (const Block& block : blocks)
      if (block.count > 1)
        for (std::size_t k = block.first; k < block.first + block.count; ++k) set(k, block.slope);
  }

  // Ends a convex function with the given last value in zero at the last knot before it is
  // negative.
  void cut(long double last_value) {
    std::vector<long double> value(t_.size(), last_value);
    for (std::size_t k = t_.size() - 1; k-- > 0;)
      value[k] = value[k + 1] + slope_[k + 1] * width(k + 1);
    const auto negative =
        std::find_if(value.begin(), value.end(), [](long double v) { return v < 0; });
    if (negative == value.end() || negative == value.begin()) return;
    const auto end = static_cast<std::size_t>(negative - value.begin()) - 1;
    for (std::size_t k = end + 1; k < t_.size(); ++k) set(k, 0);
    set(end, slope_[end] + value[end] / width(end));
  }

  void write(std::vector<double>& mass) const {
    for (std::size_t k = 0; k < mass.size(); ++k)
      if (changed_[k] || changed_[k + 1])
        mass[k] = static_cast<double>(std::max(0.0L, (slope_[k] - slope_[k + 1]) * t_[k]));
  }

 private:
  long double width(std::size_t k) const { return k == 0 ? t_[0] : t_[k] - t_[k - 1]; }
  void set(std::size_t k, long double slope) {
    slope_[k] = slope;
    changed_[k] = true;
  }

  std::vector<long double> t_, slope_;
  std::vector<bool> changed_;
};

// The ends of the cells, with what lies left of the first and right of the last one.
struct Ladder {
  std::vector<double> loss;
  std::vector<Pair::Place> place;
};

// Pessimistic: the mass p of a cell goes to its ends so that its Q probability stays what it is.
void spread(const Pair& pair, const Ladder& ladder, LossGrid& grid) {
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

// Optimistic. With tangents of delta(t), t = e^loss, at a place in every cell, a knot's bin reaches
// from the tangent on its left to the one on its right, and gap = p - t q of the bin is the height
// of the left tangent over the right one at the knot. The lower of both is the knot's value; going
// from value to value along chords moves mass between neighbouring knots only.
void contract(const Pair& pair, const Ladder& ladder, LossGrid& grid) {
  const std::size_t n = ladder.loss.size();
  grid.lower.assign(n, 0.0);
  // Left of the first knot that has mass below it the tangent is 1 - t.
  std::size_t k = 0;
  const Pair::Place bottom = pair.place(-inf);
  while (k + 1 < n && pair.between(bottom, ladder.place[k]).p == 0) ++k;
  const std::size_t start = k;
  Masses left = pair.between(bottom, ladder.place[k]);
  double previous_gap = 0;
  for (; k < n; ++k) {
    const bool end = k + 1 == n;
    const double loss = ladder.loss[k];
    const double width = end ? 0 : ladder.loss[k + 1] - loss;
    Pair::Place cut = end ? ladder.place[k] : pair.place(pair.where(loss + width / 2));
    auto gap_at = [&](const Pair::Place& place) {
      const Masses right = pair.between(ladder.place[k], place);
      return (left.p - scaled(left.q, loss)) + (right.p - scaled(right.q, loss));
    };
    double gap = gap_at(cut);
    if (k == start && gap > 0) {
      // A first knot below its bin's mean would lose mass: take the tangent that meets 1 - t there.
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
  // On a coarse grid the chords may not be convex, or fall below zero before they end; both are
  // corrected downwards.
  const bool convex =
      std::none_of(grid.lower.begin(), grid.lower.end(), [](double m) { return m < 0; });
  if (convex && previous_gap >= 0) return;
  Chain chain(ladder.loss, grid.lower);
  chain.pool();
  chain.cut(std::min(previous_gap, 0.0));
  chain.pool();
  chain.write(grid.lower);
}

}  // namespace

LossGrid discretise(const Pair& pair, const GridSpec& spec) {
  const double h = spec.step;
  const double reach = 1 + pair.sigma() * normal_upper_quantile(spec.tail);
  LossGrid grid;
  grid.offset = bulk_loss(pair, h);
  Knots knots(pair, spec, grid.offset);
  const auto last = static_cast<long>(std::ceil((pair.loss(reach) - grid.offset) / h)) + 1;
  Ladder ladder;
  for (auto here = static_cast<long>(std::floor((pair.loss(-reach) - grid.offset) / h)) - 1;;
       here = knots.next(here, ladder.place.back())) {
    grid.index.push_back(here);
    ladder.loss.push_back(knots.loss(here));
    ladder.place.push_back(knots.at(ladder.loss.back()));
    if (here >= last) break;
    if (ladder.loss.size() > most_cells)
      throw std::length_error("the loss of one step does not fit on the grid");
  }
  spread(pair, ladder, grid);
  contract(pair, ladder, grid);
  return grid;
}

}  // namespace trilemma::accounting
