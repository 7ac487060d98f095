#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "base/progress_line.hpp"
#include "base/standard_output.hpp"
#include "base/text.hpp"
#include "comm/collectively.hpp"
#include "network/network.hpp"
#include "network/network_file.hpp"

namespace trilemma {
namespace {

// Returns the size in bytes, rounded down to a whole number of doubles, of which sums consist.
std::size_t size_of(const char* option, const std::string& text, double least) {
  const auto bits = bits_in(text);
  require(bits.has_value(), "{} {}: {}", option, text, size_problem(text));
  const double bytes = std::floor(*bits / bits_per_byte / sizeof(double)) * sizeof(double);
  require(bytes >= least && bytes <= 0x1p30, "{} {}: choose {:g} B to 1 GiB", option, text, least);
  return static_cast<std::size_t>(bytes);
}

std::size_t largest_message(const CalibrateOptions& options) {
  constexpr double least = 64;
  return size_of("--largest", options.largest, least);
}

std::vector<std::size_t> further_sizes(const CalibrateOptions& options) {
  constexpr std::size_t most = 64;
  require(options.sizes.size() <= most, "--size: {} sizes; choose {} at most", options.sizes.size(),
          most);
  std::vector<std::size_t> sizes;
  for (const auto& text : options.sizes) sizes.push_back(size_of("--size", text, sizeof(double)));
  return sizes;
}

void check_options(const CalibrateOptions& options, int ranks) {
  largest_message(options);
  further_sizes(options);
  require(options.seconds > 0 && options.seconds <= 3600,
          "--seconds {}: choose a number above 0, 3600 at most", options.seconds);
  require(ranks > 1,
          "one rank alone has no network; start it like the runs in question, as in `mpirun -n 2 "
          "trilemma calibrate`; where the launcher is not known, add --mpi");
}

std::string time_text(double seconds) {
  constexpr double milli = 1e-3;
  return seconds < milli ? fmt::format("{:.4g} us", seconds * 1e6)
                         : fmt::format("{:.4g} ms", seconds / milli);
}

// The fitted lines of an operation, and their values at the largest sizes.
std::string fit_text(const PiecewiseFit& fit) {
  std::string out;
  for (const LineSegment& segment : fit.segments) {
    const Line& line = segment.line;
    const std::string bandwidth =
        line.seconds_per_byte > 0
            ? fmt::format(" + size / ({}/s)",
                          with_prefix(bits_per_byte / line.seconds_per_byte, "bit"))
            : "";
    out +=
        fmt::format("  {} to {}: {}{}, off by {:.0f} % at most{}\n", with_prefix(segment.from, "B"),
                    with_prefix(segment.to, "B"), time_text(line.latency), bandwidth,
                    100 * segment.error, fit_remark(segment));
  }
  if (!std::isfinite(fit.bandwidth()))
    return out +
           "  NO BANDWIDTH: the longest messages take no longer than shorter ones; take "
           "longer messages, where nothing else runs\n";
  return out + fmt::format("  {}/s asymptotically, half of it at {}\n",
                           with_prefix(bits_per_byte * fit.bandwidth(), "bit"),
                           with_prefix(fit.half_size(), "B"));
}

std::string to_text(const NetworkMeasurement& measured) {
  std::string out = fmt::format("{:<16}{:>12}{:>6}{:>14}{:>14}{:>14}\n", "operation", "message",
                                "n", "median", "from", "to");
  for (std::size_t i = 0; i < measured.operations.size(); ++i) {
    const auto& [timings, fit] = measured.operations[i];
    for (std::size_t row = 0; row < timings.size(); ++row) {
      const MedianInterval found = timings[row].typical();
      out +=
          fmt::format("{:<16}{:>12}{:>6}{:>14}{:>14}{:>14}\n", row == 0 ? operation_names[i] : "",
                      with_prefix(timings[row].bytes, "B"), timings[row].seconds.size(),
                      time_text(found.median), time_text(found.low), time_text(found.high));
    }
    out += fit_text(fit);
  }
  out += fmt::format("memory of all ranks together: {}/s (triad of STREAM, all at once)\n",
                     with_prefix(measured.memory_bandwidth, "B"));
  return out +
         "median over the calls, each as slow as its slowest rank; from, to: interval of 95 %\n";
}

void add_origin(Report& report, const std::vector<std::string>& hosts) {
  report.text("library", Session::library(), "MPI library");
  const Rule rule = Session::is_mpich() ? Rule::mpich : Rule::open_mpi;
  report.text("rule", rule_names[static_cast<std::size_t>(rule)],
              "whose rule chooses the algorithms of collective calls: open-mpi or mpich");
  report.text("hosts", join(hosts), "host of every rank");
  report.count("machines", std::set(hosts.begin(), hosts.end()).size(), "1", "different hosts");
}

// Returns a warning if ranks share cores; `hosts` and `cores` are indexed by rank.
std::string crowding(const std::vector<std::string>& hosts, const std::vector<double>& cores) {
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    const auto ranks = std::ranges::count(hosts, hosts[r]);
    if (static_cast<double>(ranks) > cores[r])
      return fmt::format(
          "{} ranks share {} cores of {} and wait for their turn: this measures the scheduler, not "
          "the network, and takes long; start at most one rank per core",
          ranks, cores[r], hosts[r]);
  }
  return "";
}

int calibrate_on_rank(const CalibrateOptions& options, const Session& session) {
  Ranks ranks(session.place(), session.communicator());
  const bool is_first = session.rank() == 0;
  int code = collectively(ranks, [&] {
    check_options(options, session.size());
    if (is_first) check_report_path(options.output, network_report_kind, options.overwrite);
  });
  if (code != 0) return code;
  const auto hosts = ranks.gather_text(Session::host());
  if (code = placed_as_asked(ranks, hosts); code != 0) return code;
  const auto own_cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  const auto cores = ranks.gather_by_rank({&own_cores, 1}, Use::control);
  const std::string crowded = is_first ? crowding(hosts, cores) : "";
  if (!crowded.empty()) fmt::print(stderr, "trilemma: warning: {}\n", crowded);
  constexpr std::int64_t steps = 1000;
  ProgressLine line(options.quiet || !is_first, steps);
  const NetworkMeasurement measured = measure_network(
      session.communicator(), largest_message(options), further_sizes(options),
      {.seconds = options.seconds}, [&line](double share, const std::string& what) {
        if (line.due())
          line.show(static_cast<std::int64_t>(share * static_cast<double>(steps)), what);
      });
  line.clear();
  return collectively(ranks, [&] {
    if (!is_first) return;
    Report report = report_of(measured);
    add_origin(report, hosts);
    if (!crowded.empty()) report.text("warning", crowded, "what is wrong with these times");
    write_report(options.output, network_report_kind, report, options.overwrite);
    if (options.json)
      print("{}\n", to_json(report));
    else if (!options.quiet)
      print("{}{} ranks on {}: {}\n", to_text(measured), session.size(),
            counted(std::set(hosts.begin(), hosts.end()).size(), "host"), options.output);
  });
}

}  // namespace

int calibrate_command(const CalibrateOptions& options, int argc, char** argv) {
  Session session(argc, argv);
  return run_on_rank(session, [&] { return calibrate_on_rank(options, session); });
}

}  // namespace trilemma
