#include "network/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "comm/placement.hpp"

namespace trilemma {
namespace {

// Number of hosts, and the largest share of the clients' work on one of them.
struct Hosting {
  double hosts = 1;
  double largest_share = 1;
};

Hosting hosting_of(const RunTraffic& run, const Network& network, double messages) {
  const bool rank_0_hosts = network.ranks() == 1 || run.server_hosts;
  Hosting found{static_cast<double>(network.ranks() - (rank_0_hosts ? 0 : 1)), 1};
  found.hosts = std::min(found.hosts, static_cast<double>(run.clients));
  // Every node sends as many messages as every other.
  const double senders = run.is_decentralised() ? static_cast<double>(run.clients) : messages;
  found.largest_share = std::ceil(senders / found.hosts) / senders;
  return found;
}

// Returns whether messages differ in size, so that their sizes are sent too.
bool sizes_vary(const RunTraffic& run) {
  const auto& last = run.rows.back();
  const double mean = last.bits_up / last.messages;
  return std::ranges::any_of(run.rows, [&](const RunTraffic::Row& row) {
    return std::abs(row.bits_up - row.messages * mean) > 0.5;
  });
}

// Returns how many of `all` messages of clients a rank sends. Those of rank 0 are not sent, and
// ranks without clients send none.
double messages_of_rank(const RunTraffic& run, const Network& network, double all, double hosts) {
  const double sending = run.server_hosts ? hosts - 1 : hosts;
  return all / hosts * sending / std::max(1, network.ranks() - 1);
}

std::vector<Call> calls_up(const RunTraffic& run, const Network& network, double messages,
                           double bytes, double hosts) {
  if (run.sums_on_ranks) {
    // The ranks first agree on the largest value of a message.
    std::vector<Call> calls = network.agreement();
    calls.push_back(network.call(Operation::reduce, run.sum_bytes));
    return calls;
  }
  const double per_rank = messages_of_rank(run, network, messages, hosts);
  const Call whole = network.call(Operation::gather, per_rank * bytes);
  if (!sizes_vary(run)) return {whole};
  return {network.call(Operation::gather, per_rank * sizeof(std::uint64_t)), whole};
}

// Returns the messages of the rank that takes longest for them: one to each rank that hosts a
// neighbour of one of its nodes, one after the other. A message of a node is sent once to a rank.
std::vector<Call> calls_between_ranks(const RunTraffic& run, const Network& network, double each,
                                      double bytes) {
  const Placement place{
      .size = network.ranks(), .clients = static_cast<int>(run.clients), .server_hosts = true};
  std::vector<int> host;
  for (int rank = 0; rank < place.size; ++rank)
    host.insert(host.end(), static_cast<std::size_t>(place.count(rank)), rank);
  std::set<std::pair<std::uint32_t, int>> copies;  // a node, and a rank that hears it
  for (const auto& [a, b] : run.edges) {
    if (host[a] == host[b]) continue;
    copies.emplace(a, host[b]);
    copies.emplace(b, host[a]);
  }
  std::map<std::pair<int, int>, double> packed;  // messages by sending and receiving rank
  for (const auto& [node, rank] : copies) packed[{host[node], rank}] += 1;
  std::map<int, Call> of_rank;
  for (const auto& [ranks, count] : packed) {
    const Call one = network.call(Operation::point_to_point, count * bytes);
    Call& all =
        of_rank.try_emplace(ranks.first, network.call(Operation::point_to_point, 0)).first->second;
    all.bytes = std::max(all.bytes, one.bytes);
    all.seconds += each * one.seconds;
    all.path_bytes += each * one.path_bytes;
    all.doubt = std::max(all.doubt, one.doubt);
    all.is_beyond = all.is_beyond || one.is_beyond;
  }
  if (of_rank.empty()) return {};
  Call slowest = std::ranges::max_element(of_rank, {}, [](const auto& entry) {
                   return entry.second.seconds;
                 })->second;
  const auto first = of_rank.find(0);
  slowest.server_bytes = first == of_rank.end() ? 0 : first->second.path_bytes;
  return {slowest};
}

// `each` is the number of messages that a node sends in a round.
std::vector<Call> calls_between_nodes(const RunTraffic& run, const Network& network, double each,
                                      double bytes) {
  if (sizes_vary(run)) bytes += sizeof(std::uint64_t);
  if (!run.passes_rank_0) return calls_between_ranks(run, network, each, bytes);
  const double all = each * static_cast<double>(run.clients) * bytes;
  return {network.call(Operation::gather, all / std::max(1, network.ranks())),
          network.call(Operation::broadcast, all)};
}

// Returns the calls of secure aggregation in one direction, without its words: the server collects,
// or hands out, keys, shares and answers one after the other.
std::vector<Call> calls_of_masks(const RunTraffic& run, const Network& network, double hosts,
                                 double bytes_of_client) {
  if (bytes_of_client == 0) return {};
  constexpr std::size_t steps = 3;
  const auto clients = static_cast<double>(run.clients);
  const double of_rank = messages_of_rank(run, network, clients, hosts) * bytes_of_client;
  return std::vector<Call>(steps, network.call(Operation::gather, of_rank / steps));
}

}  // namespace

double Prediction::seconds_per_e_fold(double spectral_gap) const {
  return seconds() / std::max(1.0, rounds) / -std::log1p(-spectral_gap);
}

std::optional<std::size_t> row_of(const RunTraffic& run, std::optional<double> accuracy) {
  if (!accuracy) return run.rows.size() - 1;
  const auto found = std::ranges::find_if(
      run.rows, [&](const RunTraffic::Row& row) { return row.accuracy >= *accuracy; });
  if (found == run.rows.end()) return {};
  return static_cast<std::size_t>(found - run.rows.begin());
}

Prediction predict(const RunTraffic& run, const Network& network, std::size_t row) {
  const RunTraffic::Row& at = run.rows[row];
  const RunTraffic::Row& start = run.rows.front();
  const double rounds = at.round - start.round;
  const double messages = (at.messages - start.messages) / std::max(1.0, rounds);
  Prediction found;
  found.rounds = rounds;
  if (rounds == 0 || messages == 0) return found;
  const Hosting hosting = hosting_of(run, network, messages);
  const double per_message = at.bits_up / bits_per_byte / at.messages;
  found.compute = at.server_seconds + at.client_seconds * hosting.largest_share;
  const auto add = [&](const Call& call, double& total) {
    total += rounds * call.seconds;
    if (call.seconds > 0) found.calls.push_back(call);
  };
  if (run.is_decentralised()) {
    const double each = messages / static_cast<double>(run.clients);
    for (const Call& call : calls_between_nodes(run, network, each, per_message))
      add(call, found.up);
    return found;
  }
  add(network.call(Operation::broadcast, run.model_bytes), found.down);
  for (const Call& call : calls_up(run, network, messages, per_message, hosting.hosts))
    add(call, found.up);
  for (const Call& call : calls_of_masks(run, network, hosting.hosts, run.mask_bytes_up))
    add(call, found.up);
  for (const Call& call : calls_of_masks(run, network, hosting.hosts, run.mask_bytes_down))
    add(call, found.down);
  return found;
}

// The algorithms depend only on sizes and ranks, so the time is a constant plus the bytes along the
// longest path divided by the bandwidth.
std::optional<double> crossing(const RunTraffic& a, std::size_t row_of_a, const RunTraffic& b,
                               std::size_t row_of_b, int ranks, double latency, Topology topology) {
  const auto seconds = [&](const RunTraffic& run, std::size_t row, double seconds_per_byte) {
    return predict(run, Network(ranks, {latency, seconds_per_byte}, topology), row).seconds();
  };
  const double idle_a = seconds(a, row_of_a, 0);
  const double idle_b = seconds(b, row_of_b, 0);
  const double bytes_a = seconds(a, row_of_a, 1) - idle_a;
  const double bytes_b = seconds(b, row_of_b, 1) - idle_b;
  // Runs that send the same amount do not cross; a difference by rounding of the sums is ignored.
  constexpr double rounding = 1e-9;
  if (std::abs(bytes_a - bytes_b) <= rounding * std::max(bytes_a, bytes_b)) return {};
  const double seconds_per_byte = (idle_b - idle_a) / (bytes_a - bytes_b);
  if (!(seconds_per_byte > 0) || !std::isfinite(seconds_per_byte)) return {};
  return bits_per_byte / seconds_per_byte;
}

}  // namespace trilemma
