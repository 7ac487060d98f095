#include "network/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "network/network_file.hpp"

namespace trilemma {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr auto between_two = static_cast<std::size_t>(Operation::point_to_point);

// Returns the position in the ascending `sizes` of the first size that is not below `bytes`.
std::size_t place_of(const std::vector<double>& sizes, double bytes) {
  return static_cast<std::size_t>(std::ranges::lower_bound(sizes, bytes) - sizes.begin());
}

}  // namespace

MessageTimes::MessageTimes(const std::vector<Timing>& timings) {
  const PiecewiseFit fit = fit_pieces(timings);
  beyond_ = fit.segments.back().line;
  doubts_ = fit.errors;
  for (const Timing& timing : timings) {
    bytes_.push_back(timing.bytes);
    seconds_.push_back(timing.typical().median);
  }
}

double MessageTimes::seconds(double bytes) const {
  if (!is_measured()) return beyond_.seconds(bytes);
  const std::size_t at = place_of(bytes_, bytes);
  if (at == 0) return seconds_.front();
  if (at == bytes_.size())
    return seconds_.back() + beyond_.seconds_per_byte * (bytes - bytes_.back());
  const double share = (bytes - bytes_[at - 1]) / (bytes_[at] - bytes_[at - 1]);
  return seconds_[at - 1] + share * (seconds_[at] - seconds_[at - 1]);
}

double MessageTimes::doubt(double bytes) const {
  if (!is_measured()) return 0;
  const std::size_t at = place_of(bytes_, bytes);
  if (at == 0) return doubts_.front();
  if (at == bytes_.size()) return beyond_.seconds_per_byte > 0 ? doubts_.back() : unlimited;
  return bytes == bytes_[at] ? doubts_[at] : std::max(doubts_[at - 1], doubts_[at]);
}

double MessageTimes::largest() const { return is_measured() ? bytes_.back() : unlimited; }

Network::Network(int ranks, Line line, Topology topology)
    : ranks_(ranks),
      topology_(topology),
      rule_(topology == Topology::star ? Rule::star : Rule::open_mpi),
      line_(line) {
  times_[between_two] = MessageTimes(line);
}

Network Network::from_file(const std::string& path, int ranks, std::optional<Topology> topology) {
  const NetworkFile file = read_network_file(path);
  const PiecewiseFit fit = fit_pieces(file.timings(Operation::point_to_point));
  const Line line{fit.latency(), fit.segments.back().line.seconds_per_byte};
  const auto measured = static_cast<int>(file.ranks);
  Network network(ranks == 0 ? measured : ranks, line, topology.value_or(Topology::calibrated));
  if (network.topology_ != Topology::star) network.rule_ = file.rule;
  network.measured_ranks_ = measured;
  network.warning_ = file.warning;
  network.spread_ = file.spread();
  for (std::size_t i = 0; i < operation_count; ++i)
    network.times_[i] = MessageTimes(file.timings(static_cast<Operation>(i)));
  return network;
}

double Network::seconds_of(const Route& route, double bytes) const {
  double seconds = 0;
  for (const Route::Step& step : route.steps)
    if (step.times > 0) seconds += step.times * times_[between_two].seconds(step.copies * bytes);
  return seconds;
}

// Returns the size at which the measured calls moved the same number of bytes along the longest
// path.
double Network::measured_alike(const Call& call, const Route& route) const {
  if (ranks_ == measured_ranks_) return call.bytes;
  const Algorithm there = chosen(rule_, call.operation, measured_ranks_, call.bytes);
  const Route measured = route_of(there, call.operation, measured_ranks_, call.bytes);
  return call.bytes * route.path_copies() / measured.path_copies();
}

// Returns the measured time divided by the computed time of the algorithm for the measured number
// of ranks, multiplied by the computed time for this number: exact at the measured sizes and number
// of ranks. Between two sizes the ratio is interpolated rather than the time, since another size
// may use another algorithm.
double Network::as_calibrated(const Call& call, const Route& route) const {
  const MessageTimes& measured = times_[static_cast<std::size_t>(call.operation)];
  const auto ratio = [&](double bytes) {
    const Algorithm there = chosen(rule_, call.operation, measured_ranks_, bytes);
    return measured.seconds(bytes) /
           seconds_of(route_of(there, call.operation, measured_ranks_, bytes), bytes);
  };
  const auto& sizes = measured.bytes();
  const double alike = measured_alike(call, route);
  const std::size_t at = place_of(sizes, alike);
  double factor = 0;
  if (at == 0 || at == sizes.size()) {
    factor = ratio(at == 0 ? sizes.front() : sizes.back());
  } else {
    const double share = std::log(alike / sizes[at - 1]) / std::log(sizes[at] / sizes[at - 1]);
    factor = ratio(sizes[at - 1]) + share * (ratio(sizes[at]) - ratio(sizes[at - 1]));
  }
  return factor * seconds_of(route, call.bytes);
}

double Network::doubt_of(const Call& call, const Route& route) const {
  double doubt = 0;
  if (topology_ == Topology::calibrated)
    doubt = times_[static_cast<std::size_t>(call.operation)].doubt(measured_alike(call, route));
  if (is_measured()) return doubt;
  for (const Route::Step& step : route.steps)
    if (step.times > 0)
      doubt = std::max(doubt, times_[between_two].doubt(step.copies * call.bytes));
  return doubt;
}

Call Network::made_of(Operation operation, Algorithm algorithm, double bytes) const {
  const Route route = route_of(algorithm, operation, ranks_, bytes);
  const bool is_calibrated = topology_ == Topology::calibrated;
  const auto source = is_calibrated ? static_cast<std::size_t>(operation) : between_two;
  Call call;
  call.operation = operation;
  call.bytes = bytes;
  call.algorithm = algorithm;
  call.seconds = is_calibrated ? as_calibrated(call, route) : seconds_of(route, bytes);
  call.server_bytes = route.server_copies * bytes;
  call.path_bytes = route.path_copies() * bytes;
  call.doubt = doubt_of(call, route);
  call.is_beyond = bytes > times_[source].largest();
  return call;
}

Call Network::call(Operation operation, double bytes) const {
  if (bytes > 0 && ranks_ > 1)
    return made_of(operation, chosen(rule_, operation, ranks_, bytes), bytes);
  Call none;
  none.operation = operation;
  return none;
}

std::vector<Call> Network::agreement() const {
  if (topology_ == Topology::tree && ranks_ > 1)
    return {made_of(Operation::reduce, Algorithm::recursive_doubling, sizeof(double))};
  return {call(Operation::reduce, sizeof(double)), call(Operation::broadcast, sizeof(double))};
}

}  // namespace trilemma
