#pragma once

#include <array>
#include <optional>
#include <string>

#include "network/line.hpp"
#include "network/route.hpp"
#include "record/report_file.hpp"

namespace trilemma {

/// What ranks are joined by.
enum class Topology : std::size_t {
  star,        ///< ranks talk to rank 0 alone, so that all messages pass its link (Rule::star)
  tree,        ///< every rank has a link of its own, and the MPI library forwards
  calibrated,  ///< the same, with collective calls as they were measured
};
inline constexpr const char* topology_names[] = {"star", "tree", "calibrated"};

/// Seconds of a message of a given size: measured sizes and lines between them, or one line.
class MessageTimes {
 public:
  MessageTimes() = default;
  explicit MessageTimes(Line line) : beyond_(line) {}
  /// Measured sizes, ascending, two or more, with their medians.
  explicit MessageTimes(const std::vector<Timing>& timings);

  bool is_measured() const { return !bytes_.empty(); }
  /// Between two sizes on the straight line through both; above the largest as the last segment of
  /// the fit grows; below the smallest as long as that.
  double seconds(double bytes) const;
  /// The larger error of the fit at the two measured sizes around this one: what times of other
  /// sizes are known to. Infinite above the largest without a bandwidth.
  double doubt(double bytes) const;
  /// The largest measured size; infinite where none was.
  double largest() const;
  const std::vector<double>& bytes() const { return bytes_; }

 private:
  std::vector<double> bytes_, seconds_, doubts_;
  Line beyond_;  ///< all sizes where none were measured
};

/// A call of all ranks: what it takes, and why.
struct Call {
  Operation operation = Operation::point_to_point;
  double bytes = 0;  ///< of a message
  double seconds = 0;
  Algorithm algorithm = Algorithm::direct;
  double server_bytes = 0;  ///< through the link of rank 0, in its busier direction
  double path_bytes = 0;    ///< one after the other on the longest path
  double doubt = 0;         ///< largest error of the fits to the times that it rests on
  bool is_beyond = false;   ///< the message is longer than all that were measured
};

/// Ranks, and how long their calls take: as measured, or as a latency and a bandwidth make them.
class Network {
 public:
  /// Ranks with a link each, `line` in each direction, to a switch that slows nothing. On a tree
  /// the algorithms are those of Open MPI.
  Network(int ranks, Line line, Topology topology = Topology::star);
  /// A network as `trilemma calibrate` has measured it. 0 ranks: as many as were measured. Without
  /// a topology the calls are as calibrated: those of another number of ranks take as much longer
  /// as the algorithm makes them that the MPI library chooses there. On a star and on a tree they
  /// are made of the messages that were measured between two ranks.
  static Network from_file(const std::string& path, int ranks,
                           std::optional<Topology> topology = {});

  int ranks() const { return ranks_; }
  /// Ranks that were measured; 0: none were.
  int measured_ranks() const { return measured_ranks_; }
  Topology topology() const { return topology_; }
  /// Who chooses the algorithms of collective calls.
  Rule rule() const { return rule_; }
  /// Smallest messages and asymptotic bandwidth between two ranks.
  const Line& line() const { return line_; }
  /// What was wrong when it was measured, in words; may be empty.
  const std::string& warning() const { return warning_; }
  /// Half of the 95 % interval of a time over the time, in the median of all sizes; 0 if none were
  /// measured.
  double spread() const { return spread_; }
  /// Whether its calls were measured with this number of ranks.
  bool is_measured() const {
    return topology_ == Topology::calibrated && ranks_ == measured_ranks_;
  }
  /// An operation with messages of this size; of nothing, or on one rank, it takes no time.
  Call call(Operation operation, double bytes) const;
  double seconds(Operation operation, double bytes) const { return call(operation, bytes).seconds; }
  /// What it takes until all ranks know the largest of a number of each: on a tree one call, else a
  /// reduction and a broadcast.
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
  /// By operation; those of a network that was described have messages between two ranks only.
  std::array<MessageTimes, operation_count> times_;
};

/// Measures all operations with messages of 8 bytes to `largest`, and of `sizes`; `tell` hears how
/// much of the work is done, from 0 to 1, and what comes next. Collective over two ranks or more;
/// the report is that of rank 0.
Report measure_network(const Communicator& ranks, std::size_t largest,
                       const std::vector<std::size_t>& sizes, const TimingLimits& limits,
                       const std::function<void(double, const std::string&)>& tell);

}  // namespace trilemma
