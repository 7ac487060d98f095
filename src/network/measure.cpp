#include <array>

#include "core/text.hpp"
#include "network/common_clock.hpp"
#include "network/memory_bandwidth.hpp"
#include "network/network.hpp"

namespace trilemma {
namespace {

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

void add_fit(Report& report, const std::string& name, std::span<const Timing> timings) {
  const Line line = fit_line(timings);
  report.number((name + "_latency").c_str(), line.latency, "s", "alpha of alpha + beta * bytes");
  report.number((name + "_seconds_per_byte").c_str(), line.seconds_per_byte, "s/byte", "its beta");
  report.number((name + "_fit_error").c_str(), median_error(line, timings), "1",
                "median over the sizes of |fit / median - 1|");
}

}  // namespace

Report measure_network(const Communicator& ranks, std::size_t largest, const TimingLimits& limits,
                       const std::function<void(double, const std::string&)>& tell) {
  const auto sizes = message_sizes(largest);
  CommonClock clock(ranks);
  Report report;
  report.count("ranks", ranks.size(), "rank", "MPI processes");
  report.number("memory_bandwidth", memory_bandwidth(ranks), "byte/s",
                "all ranks together, STREAM triad on 48 MiB a rank, fastest of ten passes");
  std::vector<ReportTable> samples;
  for (std::size_t i = 0; i < operation_count; ++i) {
    std::vector<Timing> timings;
    for (const std::size_t bytes : sizes) {
      const auto done = static_cast<double>(i * sizes.size() + timings.size());
      tell(done / static_cast<double>(operation_count * sizes.size()),
           fmt::format("{} of {}", operation_names[i],
                       with_prefix(static_cast<double>(bytes), "B")));
      timings.push_back(time_operation(ranks, clock, static_cast<Operation>(i), bytes, limits));
    }
    add_fit(report, operation_names[i], timings);
    report.tables.push_back(table_of(operation_names[i], timings));
    samples.push_back(samples_of(operation_names[i], timings));
  }
  report.tables.insert(report.tables.end(), samples.begin(), samples.end());
  return report;
}

}  // namespace trilemma
