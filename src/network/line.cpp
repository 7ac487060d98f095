#include "network/line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trilemma {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::size_t most_segments = 3;
constexpr std::size_t fewest_sizes = 3;  ///< in each of several segments

// Minimises the squared errors of a / t + b * m / t = 1 over the sizes m with medians t. The first
// segment starts at a latency; a later one may belong to a line that would cross zero below its
// sizes, as for a link whose rate limit lets a first burst pass.
Line fit_line(std::span<const Timing> timings, bool is_first) {
  double ones = 0, mixed = 0, squares = 0, right_one = 0, right_bytes = 0;
  for (const Timing& timing : timings) {
    const double weight = 1 / timing.typical().median;
    const double bytes = timing.bytes * weight;
    ones += weight * weight;
    mixed += weight * bytes;
    squares += bytes * bytes;
    right_one += weight;
    right_bytes += bytes;
  }
  const double determinant = ones * squares - mixed * mixed;
  const Line free{(right_one * squares - right_bytes * mixed) / determinant,
                  (ones * right_bytes - mixed * right_one) / determinant};
  if (!(free.seconds_per_byte >= 0)) return {right_one / ones, 0};
  const double lowest = is_first ? free.latency : free.seconds(timings.front().bytes);
  return lowest >= 0 ? free : Line{0, right_bytes / squares};
}

double relative_error(const Line& line, const Timing& timing) {
  return std::abs(line.seconds(timing.bytes) / timing.typical().median - 1);
}

LineSegment segment_of(std::span<const Timing> timings, bool is_first) {
  LineSegment found{timings.front().bytes, timings.back().bytes, fit_line(timings, is_first), 0};
  for (const Timing& timing : timings)
    found.error = std::max(found.error, relative_error(found.line, timing));
  return found;
}

// Sums of squared relative errors of the lines through all ranges of sizes.
class Costs {
 public:
  explicit Costs(std::span<const Timing> timings)
      : count_(timings.size()), cost_(count_ * (count_ + 1), unbounded) {
    for (std::size_t first = 0; first < count_; ++first)
      for (std::size_t end = first + 2; end <= count_; ++end) {
        const auto part = timings.subspan(first, end - first);
        const Line line = fit_line(part, first == 0);
        double sum = 0;
        for (const Timing& timing : part) {
          const double error = relative_error(line, timing);
          sum += error * error;
        }
        cost_[first * (count_ + 1) + end] = sum;
      }
  }
  double of(std::size_t first, std::size_t end) const { return cost_[first * (count_ + 1) + end]; }

 private:
  std::size_t count_;
  std::vector<double> cost_;
};

struct Cut {
  double cost = unbounded;
  std::vector<std::size_t> ends;  ///< one past the last size of each segment
};

// Returns, for each `end`, the best cut of the first `end` sizes into segments, given the best cuts
// into one segment fewer.
std::vector<Cut> cut_once_more(const std::vector<Cut>& fewer, const Costs& costs) {
  std::vector<Cut> found(fewer.size());
  for (std::size_t end = 0; end < found.size(); ++end)
    for (std::size_t at = fewest_sizes; at + fewest_sizes <= end; ++at) {
      const double cost = fewer[at].cost + costs.of(at, end);
      if (!(cost < found[end].cost)) continue;
      found[end] = {cost, fewer[at].ends};
      found[end].ends.push_back(end);
    }
  return found;
}

// Returns Schwarz's criterion, with two parameters per segment and the breaks between segments.
double criterion(double cost, std::size_t sizes, std::size_t segments) {
  constexpr double least_error = 0.01;
  const auto n = static_cast<double>(sizes);
  return n * std::log(std::max(cost / n, least_error * least_error)) +
         static_cast<double>(3 * segments - 1) * std::log(n);
}

std::vector<std::size_t> best_ends(std::span<const Timing> timings) {
  const Costs costs(timings);
  const std::size_t count = timings.size();
  std::vector<Cut> cuts(count + 1);
  for (std::size_t end = 2; end <= count; ++end) cuts[end] = {costs.of(0, end), {end}};
  std::vector<std::size_t> best = cuts[count].ends;
  double least = criterion(cuts[count].cost, count, 1);
  for (std::size_t segments = 2; segments <= most_segments; ++segments) {
    cuts = cut_once_more(cuts, costs);
    const double found = criterion(cuts[count].cost, count, segments);
    if (!(found < least)) continue;
    least = found;
    best = cuts[count].ends;
  }
  return best;
}

}  // namespace

Line fit_line(std::span<const Timing> timings) { return fit_line(timings, true); }

double PiecewiseFit::half_size() const {
  const Line& line = segments.back().line;
  if (!(line.seconds_per_byte > 0)) return unbounded;
  return std::max(0.0, line.latency / line.seconds_per_byte);
}

double PiecewiseFit::error() const { return *std::ranges::max_element(errors); }

PiecewiseFit fit_pieces(std::span<const Timing> timings) {
  PiecewiseFit fit;
  std::size_t first = 0;
  for (const std::size_t end : best_ends(timings)) {
    const auto part = timings.subspan(first, end - first);
    fit.segments.push_back(segment_of(part, first == 0));
    for (const Timing& timing : part)
      fit.errors.push_back(relative_error(fit.segments.back().line, timing));
    first = end;
  }
  return fit;
}

std::string fit_remark(const LineSegment& segment) {
  return segment.error > most_fit_error
             ? ": NO FIT; repeat where nothing else runs, or with more --seconds"
             : "";
}

}  // namespace trilemma
