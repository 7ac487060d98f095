#include "network/network_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/state.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "record/report_file.hpp"

namespace trilemma {
namespace {

constexpr std::uint64_t most_sizes = 128;

h5::File open_measured(const std::string& path) {
  std::error_code ignored;
  require(std::filesystem::is_regular_file(path, ignored),
          "{}: no such file; give a file written by `trilemma calibrate`", path);
  try {
    return h5::File::open(path);
  } catch (const LibraryError&) {
    throw UserError(
        fmt::format("{}: not an HDF5 file, or cut off; measure the network again", path));
  }
}

void check_schema(const h5::Group& file, const std::string& path) {
  require(
      file.has_attribute("schema") && file.text_attribute("schema") == network_report_kind.schema,
      "{}: not a measured network; give a file written by `trilemma calibrate`", path);
  const double version = file.number_attribute("schema_version");
  require(version == static_cast<double>(network_report_kind.version),
          "{}: schema version {}, this program reads {}; measure the network again", path, version,
          network_report_kind.version);
}

Rule rule_of(const h5::Group& file, const std::string& path) {
  const std::string found = file.read_text("facts/rule");
  for (const Rule rule : {Rule::open_mpi, Rule::mpich})
    if (found == rule_names[static_cast<std::size_t>(rule)]) return rule;
  throw UserError(
      fmt::format("{}: facts/rule is '{}', this program knows {} and {}; measure the "
                  "network again",
                  path, shown(found), rule_names[1], rule_names[2]));
}

void read_times(const h5::Group& file, const std::string& path, std::size_t operation,
                NetworkFile& found) {
  const std::string group = operation_names[operation];
  const auto column = [&](const char* name) {
    return file.read_numbers(group + "/" + name, most_sizes);
  };
  const auto bytes = column("bytes");
  const auto seconds = column("median");
  // With this limit, sums of such times and sizes over all ranks and rounds are finite.
  constexpr double most = 1e15;
  const auto is_positive = [](double value) { return value > 0 && value <= most; };
  require(
      bytes.size() >= 2 && bytes.size() == seconds.size() &&
          std::ranges::all_of(bytes, is_positive) && std::ranges::all_of(seconds, is_positive) &&
          std::ranges::is_sorted(bytes, std::less_equal<>()),
      "{}: {} does not hold times of ascending sizes, above 0 and at most 1e15; measure the network again",
      path, group);
  const auto low = column("low");
  const auto high = column("high");
  require(low.size() == bytes.size() && high.size() == bytes.size(),
          "{}: {} does not hold an interval for each time; measure the network again", path, group);
  for (std::size_t at = 0; at < low.size(); ++at) {
    require(low[at] > 0 && low[at] <= seconds[at] && seconds[at] <= high[at] && high[at] <= most,
            "{}: {} holds a time outside of its interval; measure the network again", path, group);
    found.half_intervals[operation].push_back(
        std::min(1e9, (high[at] - low[at]) / (2 * seconds[at])));
  }
  found.bytes[operation] = bytes;
  found.seconds[operation] = seconds;
}

NetworkFile read_here(const std::string& path) {
  const h5::File file = open_measured(path);
  check_schema(file, path);
  NetworkFile found;
  const auto ranks = file.read_numbers("facts/ranks", 1);
  require(ranks.size() == 1 && ranks[0] >= 2 && ranks[0] <= 1e6,
          "{}: facts/ranks is not a number from 2 to 1e6; measure the network again", path);
  found.ranks = static_cast<std::int64_t>(ranks[0]);
  found.rule = rule_of(file, path);
  if (file.has_member("facts/warning")) found.warning = shown(file.read_text("facts/warning"), 200);
  for (std::size_t i = 0; i < operation_count; ++i) read_times(file, path, i, found);
  return found;
}

}  // namespace

std::vector<Timing> NetworkFile::timings(Operation operation) const {
  const auto at = static_cast<std::size_t>(operation);
  std::vector<Timing> found;
  for (std::size_t i = 0; i < bytes[at].size(); ++i)
    found.push_back({bytes[at][i], {seconds[at][i]}});
  return found;
}

double NetworkFile::spread() const {
  std::vector<double> all;
  for (const auto& of_operation : half_intervals)
    all.insert(all.end(), of_operation.begin(), of_operation.end());
  const auto middle = all.begin() + static_cast<long>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

void NetworkFile::persist(State& state) {
  state.value(ranks);
  state.value(rule);
  state.values(warning);
  for (auto* columns : {&bytes, &seconds, &half_intervals})
    for (auto& column : *columns) state.values(column);
}

NetworkFile read_network_file(const std::string& path) {
  return found_in_subprocess(path, [&path] { return read_here(path); });
}

}  // namespace trilemma
