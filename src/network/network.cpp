#include "network/network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "core/state.hpp"
#include "core/text.hpp"
#include "files/apart.hpp"

namespace trilemma {
namespace {

constexpr hsize_t most_sizes = 1024;

struct Measured {
  std::int64_t ranks = 0;
  std::string warning;  ///< that was given when it was measured; may be empty
  double spread = 0;    ///< half of the interval over the median, in the median of all sizes
  std::array<std::vector<double>, operation_count> bytes, seconds;

  void persist(State& state) {
    state.value(ranks);
    state.values(warning);
    state.value(spread);
    for (auto& column : bytes) state.values(column);
    for (auto& column : seconds) state.values(column);
  }
};

h5::Handle open_measured(const std::string& path) {
  std::error_code ignored;
  require(std::filesystem::is_regular_file(path, ignored),
          "{}: no such file; give a file that `trilemma calibrate` wrote", path);
  try {
    return h5::open_file(path);
  } catch (const LibraryError&) {
    throw UserError(
        fmt::format("{}: not an HDF5 file, or cut off; measure the network again", path));
  }
}

Measured read_measured(const std::string& path) {
  const h5::Handle file = open_measured(path);
  require(h5::has_attribute(file.get(), "schema") &&
              h5::text_attribute(file.get(), "schema") == network_report_kind.schema,
          "{}: not a measured network; give a file that `trilemma calibrate` wrote", path);
  const double version = h5::number_attribute(file.get(), "schema_version");
  require(version == static_cast<double>(network_report_kind.version),
          "{}: schema version {}, this program reads {}; measure the network again", path, version,
          network_report_kind.version);
  Measured found;
  const auto ranks = h5::read_numbers(file.get(), "facts/ranks", 1);
  require(ranks.size() == 1 && ranks[0] >= 2 && ranks[0] <= 1e6,
          "{}: facts/ranks is no number of ranks from 2 to 1e6; measure the network again", path);
  found.ranks = static_cast<std::int64_t>(ranks[0]);
  if (h5::has_member(file.get(), "facts/warning"))
    found.warning = shown(h5::read_text(file.get(), "facts/warning"), 200);
  std::vector<double> spreads;
  for (std::size_t i = 0; i < operation_count; ++i) {
    const std::string group = operation_names[i];
    auto& bytes = found.bytes[i] = h5::read_numbers(file.get(), group + "/bytes", most_sizes);
    auto& seconds = found.seconds[i] = h5::read_numbers(file.get(), group + "/median", most_sizes);
    const auto is_positive = [](double value) { return value > 0 && std::isfinite(value); };
    require(
        bytes.size() >= 2 && bytes.size() == seconds.size() &&
            std::ranges::all_of(bytes, is_positive) && std::ranges::all_of(seconds, is_positive) &&
            std::ranges::is_sorted(bytes, std::less_equal<>()),
        "{}: {} does not hold times of ascending sizes; measure the network again", path, group);
    const auto low = h5::read_numbers(file.get(), group + "/low", most_sizes);
    const auto high = h5::read_numbers(file.get(), group + "/high", most_sizes);
    require(low.size() == bytes.size() && high.size() == bytes.size(),
            "{}: {} does not hold an interval for each time; measure the network again", path,
            group);
    for (std::size_t at = 0; at < low.size(); ++at) {
      require(low[at] > 0 && low[at] <= seconds[at] && seconds[at] <= high[at] &&
                  std::isfinite(high[at]),
              "{}: {} holds a time outside of its interval; measure the network again", path,
              group);
      spreads.push_back(std::min(1e9, (high[at] - low[at]) / (2 * seconds[at])));
    }
  }
  std::ranges::nth_element(spreads, spreads.begin() + static_cast<long>(spreads.size() / 2));
  found.spread = spreads[spreads.size() / 2];
  return found;
}

}  // namespace

Network Network::from_file(const std::string& path, int ranks) {
  const Bytes bytes = read_apart(path, [&path] {
    Measured found = read_measured(path);
    Bytes out;
    State state = State::saving(out);
    found.persist(state);
    return out;
  });
  Measured found;
  State state = State::restoring(bytes);
  found.persist(state);
  constexpr auto between_two = static_cast<std::size_t>(Operation::point_to_point);
  std::vector<Timing> timings;
  for (std::size_t i = 0; i < found.bytes[between_two].size(); ++i)
    timings.push_back({found.bytes[between_two][i], {found.seconds[between_two][i]}});
  Network network(ranks == 0 ? static_cast<int>(found.ranks) : ranks, fit_line(timings));
  network.line_error_ = median_error(network.line_, timings);
  network.warning_ = found.warning;
  network.spread_ = found.spread;
  if (network.ranks_ != found.ranks) return network;
  for (std::size_t i = 0; i < operation_count; ++i)
    for (std::size_t at = 0; at < found.bytes[i].size(); ++at)
      network.measured_[i].push_back({found.bytes[i][at], found.seconds[i][at]});
  return network;
}

double Network::seconds(Operation operation, double bytes) const {
  if (bytes <= 0 || ranks_ < 2) return 0;
  const auto& points = measured_[static_cast<std::size_t>(operation)];
  if (points.empty()) return on_a_star(operation, bytes);
  if (bytes <= points.front().bytes) return points.front().seconds;
  const auto above = std::ranges::find_if(points, [&](const Point& p) { return p.bytes >= bytes; });
  const Point& high = above == points.end() ? points.back() : *above;
  const Point& low = *(&high - 1);
  if (above == points.end()) {
    const double slope = (high.seconds - low.seconds) / (high.bytes - low.bytes);
    return high.seconds + std::max(0.0, slope) * (bytes - high.bytes);
  }
  const double share = std::log(bytes / low.bytes) / std::log(high.bytes / low.bytes);
  return low.seconds * std::pow(high.seconds / low.seconds, share);
}

double Network::on_a_star(Operation operation, double bytes) const {
  const auto others = static_cast<unsigned>(ranks_ - 1);
  const int depth = std::bit_width(others);
  switch (operation) {
    case Operation::point_to_point:
      return line_.seconds(bytes);
    case Operation::broadcast:
      return depth * line_.latency + others * bytes * line_.seconds_per_byte;
    case Operation::reduce:
      return depth * line_.seconds(bytes);
    case Operation::gather:
      break;
  }
  return line_.seconds(others * bytes);
}

}  // namespace trilemma
