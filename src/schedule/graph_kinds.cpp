#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/text.hpp"
#include "numeric/random.hpp"
#include "schedule/graph.hpp"

namespace trilemma {

Row<GraphMaker> file_graph();

namespace {

// Sorts edges that were added in any order and direction, and removes repetitions.
EdgeList graph_of(std::vector<EdgeList::Edge> edges, std::optional<LaplacianRange> laplacian) {
  for (auto& [a, b] : edges)
    if (a > b) std::swap(a, b);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return {.edges = std::move(edges), .laplacian = laplacian};
}

void require_few_edges(double edges) {
  require(edges <= static_cast<double>(most_edges),
          "graph: {:.0f} edges; a graph may have {} at most, so choose fewer nodes or a sparser "
          "graph",
          edges, most_edges);
}

// Returns 1 - cos(2 pi k / n) without loss of digits for small angles.
double one_minus_cos(double k, double n) {
  const double half = std::sin(std::numbers::pi * k / n);
  return 2 * half * half;
}

// The graph with an edge from i to i + o mod n for every offset o < n; no offset twice, in neither
// direction.
EdgeList circulant(std::uint32_t n, const std::vector<std::uint32_t>& offsets) {
  require_few_edges(static_cast<double>(n) * static_cast<double>(offsets.size()));
  std::vector<EdgeList::Edge> edges;
  for (std::uint32_t i = 0; i < n; ++i)
    for (const std::uint32_t offset : offsets) {
      const std::uint64_t to = (std::uint64_t{i} + offset) % n;
      edges.emplace_back(i, static_cast<std::uint32_t>(to));
    }
  LaplacianRange range{.least = 1e300};
  for (std::uint32_t k = 1; k <= n / 2; ++k) {
    double eigenvalue = 0;
    for (const std::uint32_t offset : offsets)
      eigenvalue += (2 * std::uint64_t{offset} == n ? 1 : 2) *
                    one_minus_cos(static_cast<double>(std::uint64_t{k} * offset % n), n);
    range.least = std::min(range.least, eigenvalue);
    range.most = std::max(range.most, eigenvalue);
  }
  return graph_of(std::move(edges), range);
}

EdgeList make_ring(std::uint32_t n, std::uint64_t) { return circulant(n, {1}); }

EdgeList make_exponential(std::uint32_t n, std::uint64_t) {
  std::vector<std::uint32_t> offsets;
  for (std::uint64_t offset = 1; offset < n; offset *= 2) {
    const auto o = static_cast<std::uint32_t>(offset);
    if (std::ranges::find(offsets, n - o) == offsets.end()) offsets.push_back(o);
  }
  return circulant(n, offsets);
}

EdgeList make_complete(std::uint32_t n, std::uint64_t) {
  require_few_edges(0.5 * n * (n - 1.0));
  std::vector<EdgeList::Edge> edges;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = i + 1; j < n; ++j) edges.emplace_back(i, j);
  return {.edges = std::move(edges), .laplacian = LaplacianRange{1.0 * n, 1.0 * n}};
}

EdgeList make_star(std::uint32_t n, std::uint64_t) {
  std::vector<EdgeList::Edge> edges;
  for (std::uint32_t i = 1; i < n; ++i) edges.emplace_back(0U, i);
  return {.edges = std::move(edges), .laplacian = LaplacianRange{n == 2 ? 2.0 : 1.0, 1.0 * n}};
}

EdgeList make_hypercube(const NoOptions&, const Settings& settings, std::uint32_t n,
                        std::uint64_t) {
  if (!std::has_single_bit(n))
    settings.refuse("kind", fmt::format("{} nodes; a hypercube has a power of 2", n));
  std::vector<EdgeList::Edge> edges;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t bit = 1; bit < n; bit *= 2)
      if ((i & bit) == 0) edges.emplace_back(i, i | bit);
  return {.edges = std::move(edges), .laplacian = LaplacianRange{2, 2.0 * std::countr_zero(n)}};
}

struct TorusOptions {
  long rows = 0;
  void read(Reader& r) {
    r("rows", rows, at_least(0), "rows of the torus, at least 3; 0 = as square as possible");
  }
};

EdgeList make_torus(const TorusOptions& options, const Settings& settings, std::uint32_t n,
                    std::uint64_t) {
  long rows = options.rows;
  if (rows == 0) {
    rows = static_cast<long>(std::sqrt(static_cast<double>(n)));
    while (n % rows != 0) --rows;
  }
  if (n % rows != 0 || rows < 3 || n / rows < 3)
    settings.refuse(options.rows == 0 ? "kind" : "rows",
                    fmt::format("{} nodes in {} rows of equal length; a torus needs at least 3 "
                                "rows and 3 columns, so choose another number of nodes or rows",
                                n, rows));
  const auto a = static_cast<std::uint32_t>(rows);
  const std::uint32_t b = n / a;
  std::vector<EdgeList::Edge> edges;
  for (std::uint32_t r = 0; r < a; ++r)
    for (std::uint32_t c = 0; c < b; ++c) {
      edges.emplace_back(r * b + c, (r + 1) % a * b + c);
      edges.emplace_back(r * b + c, r * b + (c + 1) % b);
    }
  // The eigenvalues are sums of one of a ring of a nodes and one of a ring of b.
  LaplacianRange range{.least = 2 * one_minus_cos(1, std::max(a, b))};
  range.most = 2 * one_minus_cos(a / 2, a) + 2 * one_minus_cos(b / 2, b);
  return graph_of(std::move(edges), range);
}

struct ErdosRenyiOptions {
  double probability = 0.5;
  void read(Reader& r) {
    r("probability", probability, {.low = 0, .high = 1, .low_open = true},
      "probability of an edge between two nodes");
  }
};

// Nodes i < j share an edge if number i n + j of the stream is below the probability.
std::vector<EdgeList::Edge> draw_edges(std::uint32_t n, double probability, const Key& key) {
  std::vector<EdgeList::Edge> edges;
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = 0; i + 1 < n; ++i) {
    const std::uint64_t first = std::uint64_t{i} * n + i + 1;
    const std::uint64_t block = first / 4;
    words.resize(static_cast<std::size_t>(n - i - 1 + first % 4));
    random_words(key, static_cast<std::uint32_t>(block), words);
    for (std::uint32_t j = i + 1; j < n; ++j) {
      const std::uint32_t word = words[j - i - 1 + first % 4];
      if ((static_cast<double>(word) + 0.5) * 0x1p-32 < probability) edges.emplace_back(i, j);
    }
    require_few_edges(static_cast<double>(edges.size()));
  }
  return edges;
}

// Returns an upper bound on the probability that a random graph is connected, from sets of s nodes:
// unless more than m edges lie within the set, at least s - 2m of its nodes have no neighbour in
// the set, and the edges that lead out of the set leave each of these isolated with probability
// (1-p)^(n-s), independently. So P <= P(Bin(N, p) > m) + (1 - (1-p)^(n-s))^(s-2m) with N =
// s(s-1)/2, and by Chernoff the first term is at most exp(-N D((m+1)/N || p)), D the relative
// entropy.
double most_likely_connected(std::uint32_t n, double p) {
  double least = 1;
  for (double s = n; s >= 4; s /= 2) {
    const double size = std::floor(s), pairs = size * (size - 1) / 2;
    for (const double factor : {1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0}) {
      const double m = std::floor(factor * pairs * p);
      const double share = (m + 1) / pairs;
      if (2 * m >= size || share >= 1) break;
      const double entropy =
          share * std::log(share / p) + (1 - share) * std::log((1 - share) / (1 - p));
      const double isolated = std::pow(1 - p, n - size);
      least = std::min(least, std::exp(-pairs * entropy) + std::pow(1 - isolated, size - 2 * m));
    }
  }
  return least;
}

EdgeList make_erdos_renyi(const ErdosRenyiOptions& options, const Settings& settings,
                          std::uint32_t n, std::uint64_t seed) {
  constexpr std::uint32_t most_draws = 1000, most_nodes = 100'000;
  if (n > most_nodes)
    settings.refuse("kind", fmt::format("{} nodes; a random graph has at most {}", n, most_nodes));
  const std::string remedy = fmt::format("choose a larger probability, such as {:.2g}",
                                         std::min(1.0, 2 * std::log(1.0 * n) / n));
  constexpr double hopeless = 1e-9;
  if (most_draws * most_likely_connected(n, options.probability) < hopeless)
    settings.refuse(
        "probability",
        fmt::format("too small to connect {} nodes: fewer than one in a million million "
                    "such graphs is connected; {}",
                    n, remedy));
  EdgeList graph;
  for (; graph.redraws < most_draws; ++graph.redraws) {
    graph.edges = draw_edges(n, options.probability, {seed, Purpose::graph, 0, graph.redraws});
    if (is_connected(n, graph.edges)) return graph;
  }
  settings.refuse("probability", fmt::format("none of {} drawn graphs of {} nodes is connected; {}",
                                             most_draws, n, remedy));
}

}  // namespace

std::span<const Row<GraphMaker>> graphs() {
  static const Row<GraphMaker> table[] = {
      part_without_settings("ring", "a circle: every node has 2 neighbours", make_ring),
      part_with_settings("torus", "a grid whose opposite sides are joined: 4 neighbours",
                         make_torus),
      part_without_settings("complete", "every node is a neighbour of every other", make_complete),
      part_without_settings("star", "node 0 is the neighbour of all others, which have no other",
                            make_star),
      part_without_settings("exponential", "neighbours at the distances 1, 2, 4, ... on a circle",
                            make_exponential),
      part_with_settings("hypercube", "neighbours differ in one bit of their numbers",
                         make_hypercube),
      part_with_settings("erdos-renyi",
                         "every pair of nodes shares an edge with the same probability",
                         make_erdos_renyi),
      file_graph(),
  };
  return table;
}

}  // namespace trilemma
