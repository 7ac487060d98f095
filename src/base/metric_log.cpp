#include "base/metric_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trilemma {
namespace {

using Kind = Metric::Kind;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns the initial numbers of a metric in a part. A mean has its sum in two halves, so that any
// sum over ranks is exact, and the number of its terms.
std::vector<double> neutral(Kind kind) {
  switch (kind) {
    case Kind::mean:
      return {0, 0, 0};
    case Kind::median:
      return std::vector<double>(RatioHistogram::classes, 0.0);
    case Kind::least:
      return {infinity};
    case Kind::most:
      return {-infinity};
    case Kind::sum:
      return {0};
    default:
      return {};
  }
}

}  // namespace

const char* name(Metric::Better better) {
  constexpr const char* names[] = {"neither", "higher", "lower"};
  return names[static_cast<std::size_t>(better)];
}
const char* name(Metric::Course course) {
  constexpr const char* names[] = {"free", "monotone", "cumulative"};
  return names[static_cast<std::size_t>(course)];
}
const char* name(Metric::Runs runs) {
  constexpr const char* names[] = {"all",        "with_server",   "secure",
                                   "own_models", "timed",         "simulated",
                                   "real",       "decentralised", "evaluates_nodes"};
  return names[static_cast<std::size_t>(runs)];
}

MetricLog::Id MetricLog::declare(const Metric& metric) {
  if (std::any_of(metrics_.begin(), metrics_.end(),
                  [&](const Metric& m) { return std::string_view(m.name) == metric.name; }))
    throw LibraryError(fmt::format("two metrics are called {}", metric.name));
  expect(rows() == 0, "metrics are declared before the first row");
  metrics_.push_back(metric);
  first_.push_back(neutral_.size());
  const auto numbers = neutral(metric.kind);
  neutral_.insert(neutral_.end(), numbers.begin(), numbers.end());
  filling_.insert(filling_.end(), numbers.begin(), numbers.end());
  cells_.push_back({.number = nan});
  total_.push_back(0);
  units_.push_back(0);
  return metrics_.size() - 1;
}

MetricLog::Id MetricLog::find(std::string_view name) const {
  const auto found = std::find_if(metrics_.begin(), metrics_.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  if (found == metrics_.end()) throw LibraryError(fmt::format("no metric is called {}", name));
  return static_cast<Id>(found - metrics_.begin());
}

void MetricLog::set(Id id, double value) {
  expect(metrics_[id].kind == Kind::gauge, "a gauge");
  cells_[id].number = value;
}

void MetricLog::observe(Id id, double value) {
  double* at = filled(id);
  switch (metrics_[id].kind) {
    case Kind::mean:
      expect(!(value < 0), "a mean of numbers >= 0");
      units_[id] += static_cast<std::uint64_t>(
          std::llround((value <= most_mean ? value : most_mean) / mean_unit));
      at[0] = static_cast<double>(units_[id] >> 32U);
      at[1] = static_cast<double>(units_[id] & 0xFFFFFFFFU);
      ++at[2];
      break;
    case Kind::median:
      ++at[RatioHistogram::index(value)];
      break;
    case Kind::least:
      *at = std::min(*at, value);
      break;
    case Kind::most:
      *at = std::max(*at, value);
      break;
    default:
      expect(false, "a mean, a median, a least or a most");
  }
}

void MetricLog::observe(Id id, const RatioHistogram& ratios) {
  expect(metrics_[id].kind == Kind::median, "a median");
  double* at = filled(id);
  for (std::size_t i = 0; i < ratios.count.size(); ++i)
    at[i] += static_cast<double>(ratios.count[i]);
}

void MetricLog::observe_share(Id id, std::uint64_t ones, std::uint64_t zeros) {
  expect(metrics_[id].kind == Kind::mean, "a mean");
  double* at = filled(id);
  units_[id] += ones << 32U;
  at[0] = static_cast<double>(units_[id] >> 32U);
  at[1] = static_cast<double>(units_[id] & 0xFFFFFFFFU);
  at[2] += static_cast<double>(ones + zeros);
}

void MetricLog::add(Id id, std::uint64_t more) {
  expect(metrics_[id].is_count(), "a count or a sum");
  if (metrics_[id].kind == Kind::sum)
    *filled(id) += static_cast<double>(more);
  else
    total_[id] += more;
}

void MetricLog::set_count(Id id, std::uint64_t count) {
  expect(metrics_[id].kind == Kind::count, "a count");
  total_[id] = count;
}

MetricLog::Filled MetricLog::set_aside() {
  Filled filled{neutral_, std::vector<std::uint64_t>(units_.size(), 0)};
  std::swap(filled.part, filling_);
  std::swap(filled.units, units_);
  return filled;
}

void MetricLog::put_back(Filled filled) {
  filling_ = std::move(filled.part);
  units_ = std::move(filled.units);
}

void MetricLog::end_row(std::int64_t round) {
  for (Id id = 0; id < metrics_.size(); ++id)
    if (metrics_[id].kind == Kind::count) cells_[id].count = total_[id];
  round_.push_back(round);
  ended_.insert(ended_.end(), cells_.begin(), cells_.end());
  part_.insert(part_.end(), filling_.begin(), filling_.end());
  filling_ = neutral_;
  std::fill(cells_.begin(), cells_.end(), Cell{.number = nan});
  std::fill(units_.begin(), units_.end(), 0);
}

void MetricLog::merge(std::span<const double> part) {
  if (merged_.empty())
    for (std::size_t row = 0; row < rows(); ++row)
      merged_.insert(merged_.end(), neutral_.begin(), neutral_.end());
  const std::size_t width = neutral_.size();
  for (std::size_t row = 0; row < rows(); ++row)
    for (Id id = 0; id < metrics_.size(); ++id) {
      const Kind kind = metrics_[id].kind;
      const std::size_t end = id + 1 < first_.size() ? first_[id + 1] : width;
      double* to = merged_.data() + row * width + first_[id];
      const double* from = part.data() + row * width + first_[id];
      if (kind == Kind::least) *to = std::min(*to, *from);
      if (kind == Kind::most) *to = std::max(*to, *from);
      if (kind == Kind::mean || kind == Kind::median || kind == Kind::sum)
        std::transform(from, from + (end - first_[id]), to, to, std::plus<>());
    }
}

MetricRow MetricLog::finish(std::size_t row) {
  Cell* cells = ended_.data() + row * metrics_.size();
  for (Id id = 0; id < metrics_.size(); ++id) {
    const double* merged = merged_.data() + row * neutral_.size() + first_[id];
    switch (metrics_[id].kind) {
      case Kind::mean: {
        const auto units =
            (static_cast<std::uint64_t>(merged[0]) << 32U) + static_cast<std::uint64_t>(merged[1]);
        cells[id].number = merged[2] > 0 ? static_cast<double>(units) * mean_unit / merged[2] : nan;
        break;
      }
      case Kind::median:
        cells[id].number = RatioHistogram::median({merged, RatioHistogram::classes});
        break;
      case Kind::least:
      case Kind::most:
        cells[id].number = std::isinf(*merged) ? nan : *merged;
        break;
      case Kind::sum:
        cells[id].count = total_[id] += static_cast<std::uint64_t>(*merged);
        break;
      default:
        break;
    }
  }
  return {round_[row], {cells, metrics_.size()}};
}

void MetricLog::keep_until(std::int64_t round) {
  while (!round_.empty() && round_.back() > round) round_.pop_back();
  ended_.resize(rows() * metrics_.size());
  part_.resize(rows() * neutral_.size());
}

void MetricLog::drop() {
  round_.clear();
  ended_.clear();
  part_.clear();
  merged_.clear();
}

}  // namespace trilemma
