#include "network/predict_command.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace trilemma {
namespace {

std::optional<Topology> topology_of(const PredictOptions& o) {
  if (o.topology.empty()) return {};
  const auto known = std::ranges::find(topology_names, o.topology);
  require(known != std::end(topology_names), "--topology {}: choose {}", o.topology,
          join({std::begin(topology_names), std::end(topology_names)}));
  return static_cast<Topology>(known - std::begin(topology_names));
}

void check_options(const PredictOptions& o) {
  require(o.network.empty() || (o.bandwidths.empty() && o.latency == 0),
          "--network names a measured network; leave out --latency and --bandwidth");
  require(!o.network.empty() || topology_of(o) != Topology::calibrated,
          "--topology calibrated: needs --network with a file written by `trilemma calibrate`");
  require(o.latency >= 0 && o.latency <= 3600, "--latency: choose 0 to 3600 s");
  require(!o.accuracy || (*o.accuracy > 0 && *o.accuracy <= 1),
          "--accuracy {:g}: choose a share of the test records, above 0 and at most 1",
          o.accuracy.value_or(0));
  for (const double bandwidth : o.bandwidths)
    require(bandwidth > 0 && std::isfinite(bandwidth), "--bandwidth: choose a number above 0");
  for (const int ranks : o.ranks)
    require(ranks >= 2 && ranks <= 1'000'000,
            "--ranks {}: choose 2 to 1e6; one rank alone has no network", ranks);
}

// Returns 1, 2, 5, 10, 20, ... Mbit/s up to 100 Gbit/s, in bit/s.
std::vector<double> all_bandwidths() {
  std::vector<double> found;
  for (double power = 1e6; power < 1e11; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0}) found.push_back(factor * power);
  found.push_back(1e11);
  return found;
}

std::vector<Network> networks_of(const PredictOptions& o, const RunTraffic& first) {
  const auto topology = topology_of(o);
  std::vector<int> counts = o.ranks;
  if (counts.empty())
    counts = {o.network.empty() ? static_cast<int>(std::min(first.clients, 999'999L)) +
                                      (first.is_decentralised() ? 0 : 1)
                                : 0};
  std::vector<Network> found;
  for (const int ranks : counts) {
    if (!o.network.empty()) {
      found.push_back(Network::from_file(o.network, ranks, topology));
      continue;
    }
    for (const double bandwidth : o.bandwidths.empty() ? all_bandwidths() : o.bandwidths)
      found.emplace_back(ranks, Line{o.latency, bits_per_byte / bandwidth},
                         topology.value_or(Topology::star));
  }
  return found;
}

std::optional<Crossing> crossing_of(const PredictAnswer& answer, const Network& network,
                                    std::size_t a, std::size_t b) {
  const auto& o = answer.asked;
  const auto row_a = row_of(answer.runs[a], o.accuracy);
  const auto row_b = row_of(answer.runs[b], o.accuracy);
  if (!row_a || !row_b) return {};
  const int ranks = network.ranks();
  const auto at = crossing(answer.runs[a], *row_a, answer.runs[b], *row_b, ranks, o.latency,
                           network.topology());
  if (!at) return {};
  const Network below(ranks, {o.latency, 2 * bits_per_byte / *at}, network.topology());
  const bool a_below = predict(answer.runs[a], below, *row_a).seconds() <
                       predict(answer.runs[b], below, *row_b).seconds();
  return a_below ? Crossing{ranks, a, b, *at} : Crossing{ranks, b, a, *at};
}

// Returns the crossings of all pairs of runs, once per number of ranks: networks that differ only
// in their bandwidth have the same crossings.
std::vector<Crossing> crossings_of(const PredictAnswer& answer) {
  std::vector<Crossing> found;
  int before = 0;
  for (const NetworkPrediction& at : answer.networks) {
    if (at.network.ranks() == before) continue;
    before = at.network.ranks();
    for (std::size_t a = 0; a < answer.runs.size(); ++a)
      for (std::size_t b = a + 1; b < answer.runs.size(); ++b)
        if (const auto one = crossing_of(answer, at.network, a, b)) found.push_back(*one);
  }
  return found;
}

}  // namespace

std::vector<Unknown> NetworkPrediction::unknown() const {
  constexpr double least_share = 0.05;
  std::vector<Unknown> found;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i]) continue;
    double all = 0;
    for (const Call& call : runs[i]->calls) all += call.seconds;
    for (const Call& call : runs[i]->calls)
      if (call.doubt > most_fit_error && call.seconds >= least_share * all)
        found.push_back({i, call.operation, call.bytes, call.doubt});
  }
  return found;
}

std::optional<std::size_t> NetworkPrediction::fastest() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i] && (!best || runs[i]->seconds() < runs[*best]->seconds())) best = i;
  return unknown().empty() ? best : std::nullopt;
}

PredictAnswer predict_answer(const PredictOptions& options) {
  check_options(options);
  PredictAnswer answer{.asked = options, .runs = {}, .networks = {}, .crossings = {}};
  for (const auto& path : options.runs) answer.runs.push_back(read_traffic(path));
  for (const Network& network : networks_of(options, answer.runs.front())) {
    NetworkPrediction at{network, {}};
    for (const RunTraffic& run : answer.runs) {
      const auto row = row_of(run, options.accuracy);
      at.runs.push_back(row ? std::optional(predict(run, network, *row)) : std::nullopt);
    }
    answer.networks.push_back(std::move(at));
  }
  if (options.network.empty()) answer.crossings = crossings_of(answer);
  return answer;
}

}  // namespace trilemma
