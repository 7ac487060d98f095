#pragma once

#include <array>
#include <optional>
#include <string>

#include "network/line.hpp"
#include "network/route.hpp"
#include "record/report_file.hpp"

namespace trilemma {

/// How ranks are connected.
enum class Topology : std::size_t {
  star,        ///< ranks communicate only with rank 0, so all messages pass its link (Rule::star)
  tree,        ///< every rank has its own link, and the MPI library forwards messages
  calibrated,  ///< as tree, with the measured times of collective calls
};
inline constexpr const char* topology_names[] = {"star", "tree", "calibrated"};

/// Time of a message as a function of its size, in s: from measured sizes and fitted lines, or from
/// one line.
class MessageTimes {
 public:
  MessageTimes() = default;
  explicit MessageTimes(Line line) : beyond_(line) {}
  /// Uses the medians of at least two measured sizes, in ascending order.
  explicit MessageTimes(const std::vector<Timing>& timings);

  bool is_measured() const { return !bytes_.empty(); }
  /// Returns the time of a message of `bytes`: interpolated linearly between two measured sizes;
  /// extrapolated above the largest size with the slope of the last segment of the fit; below the
  /// smallest size, the time of the smallest.
  double seconds(double bytes) const;
  /// Returns the relative accuracy of seconds(bytes): the larger error of the fit at the two
  /// measured sizes around `bytes`. Infinite above the largest size if there is no bandwidth.
  double doubt(double bytes) const;
  /// Returns the largest measured size; infinite if no size was measured.
  double largest() const;
  const std::vector<double>& bytes() const { return bytes_; }

 private:
  std::vector<double> bytes_, seconds_, doubts_;
  Line beyond_;  ///< used for all sizes if none was measured
};

/// A communication call of all ranks: its time, and how it was computed.
struct Call {
  Operation operation = Operation::point_to_point;
  double bytes = 0;  ///< size of one message
  double seconds = 0;
  Algorithm algorithm = Algorithm::direct;
  double server_bytes = 0;  ///< through the link of rank 0, in its busier direction
  double path_bytes = 0;    ///< sent one after the other along the longest path
  double doubt = 0;         ///< largest error of the fits to the times used
  bool is_beyond = false;   ///< the message is larger than the largest measured size
};

/// A set of ranks and the duration of their calls: as measured, or computed from a latency and a
/// bandwidth.
class Network {
 public:
  /// Describes ranks that each have a link, with `line` in each direction, to a switch without
  /// limits. With `topology` tree, the algorithms are those of Open MPI.
  Network(int ranks, Line line, Topology topology = Topology::star);
  /// Returns the network measured by `trilemma calibrate`. `ranks` = 0 means the measured number.
  /// Without `topology` the calls are as calibrated: the times for another number of ranks are
  /// scaled by the ratio of the times of the algorithms that the MPI library chooses for the two
  /// numbers. On a star and on a tree, calls are composed of the messages measured between two
  /// ranks.
  static Network from_file(const std::string& path, int ranks,
                           std::optional<Topology> topology = {});

  int ranks() const { return ranks_; }
  /// Returns the number of ranks in the measurement; 0 without one.
  int measured_ranks() const { return measured_ranks_; }
  Topology topology() const { return topology_; }
  /// Returns the rule that chooses the algorithms of collective calls.
  Rule rule() const { return rule_; }
  /// Returns the latency of the smallest messages and the asymptotic bandwidth between two ranks.
  const Line& line() const { return line_; }
  /// Returns a description of problems during the measurement; may be empty.
  const std::string& warning() const { return warning_; }
  /// Returns half of the 95 % interval of a time relative to the time, in the median over all
  /// sizes; 0 if none was measured.
  double spread() const { return spread_; }
  /// Returns whether the calls were measured with this number of ranks.
  bool is_measured() const {
    return topology_ == Topology::calibrated && ranks_ == measured_ranks_;
  }
  /// Returns the call for `operation` with messages of `bytes`; without bytes, or on one rank, it
  /// takes no time.
  Call call(Operation operation, double bytes) const;
  double seconds(Operation operation, double bytes) const { return call(operation, bytes).seconds; }
  /// Returns the calls by which all ranks learn the largest of their numbers: on a tree one call,
  /// otherwise a reduction and a broadcast.
  std::vector<Call> agreement() const;

 private:
  Call made_of(Operation operation, Algorithm algorithm, double bytes) const;
  double seconds_of(const Route& route, double bytes) const;
  double measured_alike(const Call& call, const Route& route) const;
  double as_calibrated(const Call& call, const Route& route) const;
  double doubt_of(const Call& call, const Route& route) const;

  int ranks_;
  int measured_ranks_ = 0;
  Topology topology_;
  Rule rule_;
  Line line_;
  std::string warning_;
  double spread_ = 0;
  /// By operation; a network that was described rather than measured has only messages between two
  /// ranks.
  std::array<MessageTimes, operation_count> times_;
};

/// Timings of one operation and the fit to them.
struct MeasuredOperation {
  std::vector<Timing> timings;  ///< ascending by size
  PiecewiseFit fit;             ///< fit to the timings
};

/// Result of measuring a network.
struct NetworkMeasurement {
  long ranks = 0;
  double memory_bandwidth = 0;                ///< of all ranks together, byte/s
  std::vector<MeasuredOperation> operations;  ///< by Operation
};

/// Returns the bytes per second that all ranks together move in a[i] = b[i] + s c[i] (the triad of
/// McCalpin's STREAM: 24 bytes per element), running simultaneously; the fastest of ten passes,
/// each timed by its slowest rank. If the arrays of all ranks fit in the caches, this is their
/// bandwidth. Collective; the same on all ranks.
double memory_bandwidth(const Communicator& ranks);

/// Measures all operations with messages of 8 bytes to `largest`, and of `sizes`; calls `tell` with
/// the fraction of the work done, from 0 to 1, and the next measurement. Collective over at least
/// two ranks; the measurement is complete on rank 0.
NetworkMeasurement measure_network(const Communicator& ranks, std::size_t largest,
                                   const std::vector<std::size_t>& sizes,
                                   const TimingLimits& limits,
                                   const std::function<void(double, const std::string&)>& tell);

/// Returns the measurement as a report, with the contents of a network file.
Report report_of(const NetworkMeasurement& measured);

}  // namespace trilemma
