#include "network/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  found.largest_share = std::ceil(messages / found.hosts) / messages;
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

std::vector<Call> calls_up(const RunTraffic& run, const Network& network, double messages,
                           double bytes, double hosts) {
  if (run.sums_on_ranks) {
    // The ranks first agree on the largest value of a message.
    std::vector<Call> calls = network.agreement();
    calls.push_back(network.call(Operation::reduce, run.sum_bytes));
    return calls;
  }
  // Messages of rank 0 are not sent, and ranks without clients send none.
  const double sending = run.server_hosts ? hosts - 1 : hosts;
  const double per_rank = messages / hosts * sending / std::max(1, network.ranks() - 1);
  const Call whole = network.call(Operation::gather, per_rank * bytes);
  if (!sizes_vary(run)) return {whole};
  return {network.call(Operation::gather, per_rank * sizeof(std::uint64_t)), whole};
}

}  // namespace

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
  add(network.call(Operation::broadcast, run.model_bytes), found.down);
  for (const Call& call : calls_up(run, network, messages, per_message, hosting.hosts))
    add(call, found.up);
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
