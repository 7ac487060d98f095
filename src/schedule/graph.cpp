#include "schedule/graph.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace trilemma {

bool is_connected(std::uint32_t nodes, const std::vector<EdgeList::Edge>& edges) {
  std::vector<std::uint32_t> parent(nodes);
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](std::uint32_t node) {
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
  };
  std::uint32_t parts = nodes;
  for (const auto& [a, b] : edges) {
    const std::uint32_t of_a = root(a), of_b = root(b);
    if (of_a == of_b) continue;
    parent[of_a] = of_b;
    --parts;
  }
  return parts == 1;
}

Graph::Graph(std::uint32_t nodes, const EdgeList& edges, MixingWeights weights)
    : laplacian_(edges.laplacian),
      redraws_(edges.redraws),
      has_stated_weights_(!edges.weights.empty()) {
  build_rows(nodes, edges);
  weigh(edges, weights);
  if (!has_stated_weights_) return;
  const double rho = spectrum_of(*this).rho();
  require(rho < 1 - 1e-14,
          "graph.file: with these weights the nodes never agree (consensus rate {:.6g}); choose "
          "smaller weights{}, or leave them out",
          rho,
          weights == MixingWeights::lazy ? "" : ", set graph.weights = \"lazy\" for half of them");
}

// Ascending edges fill every row in ascending order: first the edges of smaller nodes to this node,
// then its own.
void Graph::build_rows(std::uint32_t nodes, const EdgeList& edges) {
  start_.assign(nodes + std::size_t{1}, 0);
  for (const auto& [a, b] : edges.edges) {
    ++start_[a + std::size_t{1}];
    ++start_[b + std::size_t{1}];
  }
  for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  neighbour_.resize(2 * edges.edges.size());
  std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
  for (const auto& [a, b] : edges.edges) {
    neighbour_[next[a]++] = b;
    neighbour_[next[b]++] = a;
  }
}

bool Graph::is_regular() const {
  for (std::uint32_t i = 1; i < nodes(); ++i)
    if (degree(i) != degree(0)) return false;
  return true;
}

double Graph::metropolis(std::uint32_t a, std::uint32_t b) const {
  return 1.0 / (1.0 + std::max(degree(a), degree(b)));
}

// Sets `share` times the stated or Metropolis weights.
void Graph::weigh_by_edge(const EdgeList& edges, double share) {
  const bool are_stated = !edges.weights.empty();
  if (!are_stated && is_regular()) {
    weight_.assign(1, share * metropolis(0, 0));
    return;
  }
  weight_.resize(neighbour_.size());
  std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
  for (std::size_t e = 0; e < edges.edges.size(); ++e) {
    const auto& [a, b] = edges.edges[e];
    weight_[next[a]++] = weight_[next[b]++] =
        share * (are_stated ? edges.weights[e] : metropolis(a, b));
  }
}

void Graph::weigh(const EdgeList& edges, MixingWeights weights) {
  require(edges.weights.empty() || weights == MixingWeights::metropolis ||
              weights == MixingWeights::lazy,
          "graph.weights: the file of the graph states the weights; leave this key out, or choose "
          "lazy for half of them");
  switch (weights) {
    case MixingWeights::metropolis:
      weigh_by_edge(edges, 1);
      break;
    case MixingWeights::lazy:
      weigh_by_edge(edges, 0.5);
      break;
    case MixingWeights::uniform:
      // Otherwise the nodes would agree on a mean that weighs node i by 1 + deg(i).
      require(is_regular(),
              "graph.weights = \"uniform\": the nodes of this graph have different degrees, and "
              "equal weights would not preserve their mean; choose metropolis");
      weight_.assign(1, metropolis(0, 0));
      break;
    case MixingWeights::best_constant: {
      weight_.assign(1, 1.0);
      weigh_own();
      LaplacianRange range{};
      if (laplacian_) {
        range = *laplacian_;
      } else {  // W = I - L
        const Spectrum spectrum = spectrum_by_lanczos(*this);
        range = {1 - spectrum.second, 1 - spectrum.least};
      }
      weight_[0] = 2 / (range.least + range.most);
      break;
    }
  }
  weigh_own();
}

void Graph::weigh_own() {
  own_weight_.assign(nodes(), 1.0);
  for (std::uint32_t i = 0; i < nodes(); ++i) {
    double sum = 0;
    for (std::size_t at = 0; at < degree(i); ++at) sum += weight(i, at);
    own_weight_[i] -= sum;
  }
}

void Graph::mix(std::span<const double> x, std::span<double> mixed) const {
  for (std::uint32_t i = 0; i < nodes(); ++i) {
    const Coordinates others = neighbours(i);
    double sum = own_weight_[i] * x[i];
    for (std::size_t at = 0; at < others.size(); ++at) sum += weight(i, at) * x[others[at]];
    mixed[i] = sum;
  }
}

// A star has one Metropolis weight too, that of its centre.
std::optional<std::pair<double, LaplacianRange>> Graph::closed_form() const {
  if (!laplacian_ || !std::ranges::all_of(weight_, [&](double w) { return w == weight_[0]; }))
    return std::nullopt;
  return std::pair{weight_[0], *laplacian_};
}

GraphOptions read_graph(const Settings& experiment) {
  Settings section = experiment.section("graph");
  GraphOptions options;
  const auto& kind = choose(graphs(), section, "kind", "ring",
                            "which nodes are neighbours, in decentralised methods");
  options.kind = kind.name;
  options.edges = kind.read(section);
  options.is_from_file = section.has("file");
  Reader r(section);
  r("weights", options.weights,
    {{"metropolis", MixingWeights::metropolis, "1 / (1 + the larger degree of both nodes)"},
     {"lazy", MixingWeights::lazy,
      "half of metropolis or of the weights in the file, so that all eigenvalues are above 0"},
     {"uniform", MixingWeights::uniform, "1 / (1 + degree); all degrees must be equal"},
     {"best-constant", MixingWeights::best_constant,
      "one weight for all edges, with the largest spectral gap"}},
    "weights of the edges in the mixing matrix");
  return options;
}

}  // namespace trilemma
