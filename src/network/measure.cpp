#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "network/common_clock.hpp"
#include "network/network.hpp"

namespace trilemma {
namespace {

// Bytes of the three arrays of the triad on every rank.
constexpr std::size_t triad_bytes = std::size_t{3} << 24U;

ReportTable table_of(const char* name, std::span<const Timing> timings) {
  ReportTable table{name,
                    {{"bytes", "byte", "size of a message", {}},
                     {"repetitions", "1", "calls that were timed", {}},
                     {"median", "s", "median time of the slowest rank", {}},
                     {"low", "s", "lower end of its interval of 95 % confidence", {}},
                     {"high", "s", "upper end of it", {}}}};
  for (const Timing& timing : timings) {
    const MedianInterval found = timing.typical();
    const double row[] = {timing.bytes, static_cast<double>(timing.seconds.size()), found.median,
                          found.low, found.high};
    for (std::size_t i = 0; i < table.columns.size(); ++i) table.columns[i].value.push_back(row[i]);
  }
  return table;
}

ReportTable samples_of(const std::string& name, std::span<const Timing> timings) {
  ReportTable table{name + "_samples",
                    {{"bytes", "byte", "size of a message", {}},
                     {"seconds", "s", "every time of the slowest rank, ascending by size", {}}}};
  for (const Timing& timing : timings)
    for (const double seconds : timing.seconds) {
      table.columns[0].value.push_back(timing.bytes);
      table.columns[1].value.push_back(seconds);
    }
  return table;
}

void add_fit(Report& report, const std::string& name, const PiecewiseFit& fit) {
  report.number((name + "_latency").c_str(), fit.latency(), "s", "of the smallest messages");
  report.number((name + "_bandwidth").c_str(), fit.bandwidth(), "byte/s",
                "r_infinity: asymptotic, from the largest messages");
  report.number((name + "_half_size").c_str(), fit.half_size(), "byte",
                "n_1/2: size at which half of that bandwidth is reached");
  report.number((name + "_fit_error").c_str(), fit.error(), "1",
                "largest |fit / median - 1| over the sizes");
}

ReportTable fit_table(const std::string& name, const PiecewiseFit& fit) {
  ReportTable table{name + "_fit",
                    {{"from", "byte", "smallest size that the line was fitted to", {}},
                     {"to", "byte", "largest size that the line was fitted to", {}},
                     {"latency", "s", "alpha of alpha + beta * bytes", {}},
                     {"seconds_per_byte", "s/byte", "its beta", {}},
                     {"error", "1", "largest |line / median - 1| over these sizes", {}}}};
  for (const LineSegment& segment : fit.segments) {
    const double row[] = {segment.from, segment.to, segment.line.latency,
                          segment.line.seconds_per_byte, segment.error};
    for (std::size_t i = 0; i < table.columns.size(); ++i) table.columns[i].value.push_back(row[i]);
  }
  return table;
}

// Estimates from the elapsed time which fraction of a calibration is done: a size is expected to
// take as long as in the previous operation. In the first operation, an unknown size is expected to
// take the time limit, or the time of the previous size in proportion to the bytes once these
// dominate; a collective call is expected to take as long as the messages of all ranks.
class TimeSpent {
 public:
  TimeSpent(const std::vector<std::size_t>& sizes, int ranks, double limit)
      : sizes_(sizes),
        others_(ranks - 1),
        limit_(limit),
        now_(sizes.size(), limit),
        later_(sizes.size(), limit) {}

  void add(double seconds) {
    spent_ += seconds;
    if (operation_ == 0) {
      const bool bytes_count = at_ > 0 && seconds > limit_ && seconds > 2 * now_[at_ - 1];
      for (std::size_t i = at_; i < sizes_.size(); ++i) {
        const double grown = static_cast<double>(sizes_[i]) / static_cast<double>(sizes_[at_]);
        now_[i] = std::max(i == at_ ? 0 : limit_, seconds * (bytes_count ? grown : 1));
        later_[i] = now_[i] > limit_ ? now_[i] * others_ : limit_;
      }
    } else {
      later_[at_] = seconds;
    }
    if (++at_ < sizes_.size()) return;
    at_ = 0;
    ++operation_;
    now_ = later_;
  }

  double share() const {
    const double here = std::reduce(now_.begin() + static_cast<long>(at_), now_.end());
    const double each = std::reduce(later_.begin(), later_.end());
    const double left = here + static_cast<double>(operation_count - 1 - operation_) * each;
    return spent_ / (spent_ + left);
  }

 private:
  const std::vector<std::size_t>& sizes_;
  double others_, limit_;
  double spent_ = 0;
  std::size_t operation_ = 0, at_ = 0;  ///< the next measurement
  std::vector<double> now_, later_;     ///< s, by size: for this operation, and for each later one
};

}  // namespace

double memory_bandwidth(const Communicator& ranks) {
  constexpr int passes = 10;
  constexpr double factor = 3;
  const std::size_t count = triad_bytes / (3 * sizeof(double));
  std::vector<double> a(count, 0.0);
  std::vector<double> b(count, 1.0);
  const std::vector<double> c(count, 2.0);
  Ledger ledger;  // discarded
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < passes; ++pass) {
    ranks.barrier();
    const double begun = now_seconds();
    for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + factor * c[i];
    const double taken = now_seconds() - begun;
    // The result is the input of the next pass; otherwise the compiler could skip the computation.
    std::swap(a, b);
    best = std::min(best, ranks.largest(taken, {ledger, Use::control}));
  }
  return static_cast<double>(ranks.size()) * static_cast<double>(triad_bytes) / best;
}

NetworkMeasurement measure_network(const Communicator& ranks, std::size_t largest,
                                   const std::vector<std::size_t>& more, const TimingLimits& limits,
                                   const std::function<void(double, const std::string&)>& tell) {
  const auto sizes = message_sizes(largest, more);
  CommonClock clock(ranks);
  NetworkMeasurement measured{ranks.size(), memory_bandwidth(ranks), {}};
  TimeSpent progress(sizes, ranks.size(), limits.seconds);
  for (std::size_t i = 0; i < operation_count; ++i) {
    std::vector<Timing> timings;
    for (const std::size_t bytes : sizes) {
      tell(progress.share(), fmt::format("{} of {}", operation_names[i],
                                         with_prefix(static_cast<double>(bytes), "B")));
      const double begun = now_seconds();
      timings.push_back(time_operation(ranks, clock, static_cast<Operation>(i), bytes, limits));
      progress.add(now_seconds() - begun);
    }
    PiecewiseFit fit = fit_pieces(timings);
    measured.operations.push_back({std::move(timings), std::move(fit)});
  }
  return measured;
}

Report report_of(const NetworkMeasurement& measured) {
  Report report;
  report.count("ranks", measured.ranks, "rank", "MPI processes");
  report.number("memory_bandwidth", measured.memory_bandwidth, "byte/s",
                "all ranks together, STREAM triad on 48 MiB a rank, fastest of ten passes");
  std::vector<ReportTable> fits, samples;
  for (std::size_t i = 0; i < measured.operations.size(); ++i) {
    const auto& [timings, fit] = measured.operations[i];
    add_fit(report, operation_names[i], fit);
    fits.push_back(fit_table(operation_names[i], fit));
    report.tables.push_back(table_of(operation_names[i], timings));
    samples.push_back(samples_of(operation_names[i], timings));
  }
  report.tables.insert(report.tables.end(), fits.begin(), fits.end());
  report.tables.insert(report.tables.end(), samples.begin(), samples.end());
  return report;
}

}  // namespace trilemma
