#include "cli/network_privacy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "privacy/accountant/accountant.hpp"
#include "privacy/network_dp.hpp"

namespace trilemma {
namespace {

constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();

// Returns the number of edges on the shortest path from `start` to each node.
std::vector<std::uint32_t> distances_from(const Graph& graph, std::uint32_t start) {
  std::vector<std::uint32_t> distance(graph.nodes(), unreached), order = {start};
  distance[start] = 0;
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const std::uint32_t next : graph.neighbours(order[at]))
      if (distance[next] == unreached) {
        distance[next] = distance[order[at]] + 1;
        order.push_back(next);
      }
  return distance;
}

// A permutation of the nodes maps every node of these graphs to every other and leaves W as it is.
bool are_alike(const GraphQuestion& question) {
  const std::string names[] = {"ring", "torus", "complete", "hypercube"};
  const bool is_circulant = question.kind == "exponential";
  return is_circulant ||
         std::find(std::begin(names), std::end(names), question.kind) != std::end(names);
}

// Returns `count` nodes, spread evenly over all.
std::vector<std::uint32_t> spread(std::uint32_t nodes, std::size_t count) {
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(static_cast<std::uint32_t>(i * nodes / count));
  return chosen;
}

Quantiles quantiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {values.front(), median, values.back()};
}

// Returns epsilon of a Gaussian release of noise `sigma` and two inputs at `distance`, as the
// accountant certifies it.
double gaussian_release(double distance, double sigma, double delta) {
  if (distance == 0) return 0;
  accounting::Composition release;
  release.components.push_back({accounting::Sampling::none, 1, sigma / distance, 1});
  return accounting::epsilon(release, delta, {}).value;
}

void check_numbers(const NetworkPrivacyQuestion& q) {
  require(q.steps >= 1 && q.steps <= 1'000'000, "--steps {}: give a number from 1 to 1000000",
          q.steps);
  require(q.sigma > 0 && std::isfinite(q.sigma), "--sigma {}: give a number above 0", q.sigma);
  require(q.distance > 0 && std::isfinite(q.distance), "--distance {}: give a number above 0",
          q.distance);
  require(!q.viewers || (*q.viewers >= 1 && *q.viewers <= q.graph.nodes),
          "--viewers {}: give a number from 1 to the number of nodes, {}", q.viewers.value_or(0),
          q.graph.nodes);
  accounting::validate_delta(q.delta);
}

// The basis of one viewer is stored whole.
void check_size(const Graph& graph, const NetworkPrivacyQuestion& q,
                const std::vector<std::uint32_t>& viewers) {
  constexpr double most_numbers = 1U << 27U;
  double most = 0;
  for (const std::uint32_t v : viewers) most = std::max(most, double{1} * graph.degree(v));
  const double nodes = graph.nodes(),
               dimension = std::min(nodes, most * static_cast<double>(q.steps) + 1);
  require(
      nodes * dimension <= most_numbers,
      "{} nodes and {}: a node learns up to {:.0f} values, too many to compute; choose fewer nodes or --steps",
      graph.nodes(), counted(static_cast<std::size_t>(q.steps), "step"), dimension);
}

// Values of the pairs at one distance.
struct Pairs {
  std::vector<double> share, published;
};

PairsAtDistance summary(std::uint32_t distance, const Pairs& pairs,
                        const NetworkPrivacyQuestion& q) {
  PairsAtDistance row{.distance = distance, .pairs = pairs.share.size()};
  row.share = quantiles(pairs.share);
  row.published = quantiles(pairs.published);
  const auto epsilon_of = [&q](double share) {
    return gaussian_release(std::sqrt(share) * q.distance, q.sigma, q.delta);
  };
  row.epsilon = {epsilon_of(row.share.least), epsilon_of(row.share.median),
                 epsilon_of(row.share.most)};
  return row;
}

}  // namespace

NetworkPrivacyAnswer network_privacy(const NetworkPrivacyQuestion& q) {
  check_numbers(q);
  const NamedGraph named = graph_of(q.graph);
  const Graph& graph = named.graph;
  NetworkPrivacyAnswer answer{.question = q, .weights = named.weights()};
  answer.nodes_are_alike = are_alike(q.graph);
  constexpr long most_viewers = 64;
  const long usual = answer.nodes_are_alike ? 1 : std::min(q.graph.nodes, most_viewers);
  const auto viewers = spread(graph.nodes(), static_cast<std::size_t>(q.viewers.value_or(usual)));
  answer.viewers = viewers.size();
  check_size(graph, q, viewers);
  const Mixing mix = [&graph](std::span<const double> x, std::span<double> mixed) {
    graph.mix(x, mixed);
  };
  std::map<std::uint32_t, Pairs> found;
  for (const std::uint32_t v : viewers) {
    const AveragingView view{graph.nodes(), v, graph.neighbours(v),
                             static_cast<std::uint32_t>(q.steps)};
    const PairwiseLoss exact = exact_pairwise_loss(view, mix);
    const std::vector<double> published = published_pairwise_loss(view, mix);
    const auto distance = distances_from(graph, v);
    answer.dimension = std::max(answer.dimension, exact.dimension);
    for (std::uint32_t u = 0; u < graph.nodes(); ++u) {
      if (u == v) continue;
      found[distance[u]].share.push_back(exact.shares[u]);
      found[distance[u]].published.push_back(std::min(published[u], 1.0));
    }
  }
  answer.local_epsilon = gaussian_release(q.distance, q.sigma, q.delta);
  for (const auto& [distance, pairs] : found)
    answer.distances.push_back(summary(distance, pairs, q));
  return answer;
}

namespace {

std::string six(double value) { return fmt::format("{:.6g}", value); }

std::string range(const std::string& low, const std::string& high) {
  return low == high ? low : fmt::format("{} to {}", low, high);
}

// A line of the table: neighbouring distances of which it shows the same numbers.
struct DistanceLine {
  std::uint32_t first = 0, last = 0;
  std::size_t pairs = 0;
  std::string numbers;
  double published_least = 1, published_most = 0;
};

std::string numbers_of(const PairsAtDistance& row) {
  return fmt::format("{:>9} {:>9} {:>9}  {:>9} {:>9} {:>9}", fmt::format("{:.6f}", row.share.least),
                     fmt::format("{:.6f}", row.share.median), fmt::format("{:.6f}", row.share.most),
                     rounded_up(row.epsilon.least), rounded_up(row.epsilon.median),
                     rounded_up(row.epsilon.most));
}

std::vector<DistanceLine> lines_of(const std::vector<PairsAtDistance>& rows) {
  std::vector<DistanceLine> lines;
  for (const PairsAtDistance& row : rows) {
    const std::string numbers = numbers_of(row);
    if (lines.empty() || lines.back().numbers != numbers)
      lines.push_back({.first = row.distance, .numbers = numbers});
    DistanceLine& line = lines.back();
    line.last = row.distance;
    line.pairs += row.pairs;
    line.published_least = std::min(line.published_least, row.published.least);
    line.published_most = std::max(line.published_most, row.published.most);
  }
  return lines;
}

}  // namespace

std::string to_text(const NetworkPrivacyAnswer& answer) {
  const NetworkPrivacyQuestion& q = answer.question;
  std::string text =
      fmt::format("averaging on a graph of {} nodes ({}, {} weights), {}\n", q.graph.nodes,
                  q.graph.kind, answer.weights, counted(static_cast<std::size_t>(q.steps), "step"));
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<14}{}\n", name, value);
  };
  line("noise",
       fmt::format("sigma {} on each coordinate; two start values of a node differ by at most {}",
                   six(q.sigma), six(q.distance)));
  line("view", "a node sees all messages of its neighbours and knows its own noise");
  line("learns", fmt::format("at most {} of {} values", answer.dimension, q.graph.nodes));
  line("viewers", answer.nodes_are_alike && answer.viewers == 1
                      ? "1, which stands for all: the nodes of this graph are alike"
                      : fmt::format("{} of {} nodes", answer.viewers, q.graph.nodes));
  line("local",
       fmt::format("epsilon {} at delta {} against an observer of the noisy start value itself",
                   rounded_up(answer.local_epsilon), six(q.delta)));
  text +=
      "\n                      share of the local loss         epsilon, exact                 published,\n"
      "  distance     pairs     least    median   largest      least    median   largest  not a bound\n";
  for (const DistanceLine& l : lines_of(answer.distances))
    text += fmt::format(
        "  {:<9} {:>8} {}  {}\n", range(six(l.first), six(l.last)), l.pairs, l.numbers,
        range(fmt::format("{:.3g}", l.published_least), fmt::format("{:.3g}", l.published_most)));
  text +=
      "\n  This holds for averaging alone. No run can claim it: with gradients and compressors, later\n"
      "  messages are no longer linear in the noise.\n";
  return text;
}

}  // namespace trilemma
