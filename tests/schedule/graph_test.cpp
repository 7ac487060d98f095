// Graphs and mixing matrices (src/schedule/graph.hpp): closed forms of eigenvalues, the rules of
// random graphs and of graphs in files.

#include "schedule/graph.hpp"

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "numeric/random.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::graph_test {
namespace {

using enum MixingWeights;

EdgeList edges_of(const std::string& kind, std::uint32_t nodes, const std::string& keys = "",
                  std::uint64_t seed = 1) {
  Settings settings = Settings::from_text(keys, "graph.toml");
  return row(graphs(), kind).make(settings, nodes, seed);
}

Graph graph(const std::string& kind, std::uint32_t nodes, MixingWeights weights = metropolis,
            const std::string& keys = "") {
  return {nodes, edges_of(kind, nodes, keys), weights};
}

Eigen::MatrixXd matrix_of(const Graph& g) {
  const auto n = static_cast<Eigen::Index>(g.nodes());
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(n, n);
  for (std::uint32_t i = 0; i < g.nodes(); ++i) {
    w(i, i) = g.own_weight(i);
    for (std::size_t at = 0; at < g.degree(i); ++at) w(i, g.neighbours(i)[at]) = g.weight(i, at);
  }
  return w;
}

double cos_of(double k, double n) { return std::cos(2 * std::numbers::pi * k / n); }
double ring_rho(double n) { return (1 + 2 * cos_of(1, n)) / 3; }
double torus_rho(int a, int b) {
  double rho = 0;
  for (int p = 0; p < a; ++p)
    for (int q = 0; q < b; ++q)
      if (p + q > 0) rho = std::max(rho, std::abs(1 + 2 * cos_of(p, a) + 2 * cos_of(q, b)) / 5);
  return rho;
}

struct KnownRho {
  const char* kind;
  std::uint32_t nodes;
  double rho;
  std::uint32_t degree;  // of node 1
  MixingWeights weights = metropolis;
  const char* keys = "";
};

// Closed forms, and values of the published notebook for the ring of 10 and 40 and the star of 40.
const KnownRho known_rhos[] = {
    {"complete", 2, 0, 1},
    {"complete", 12, 0, 11},
    {"complete", 12, 0, 11, uniform},
    {"ring", 4, 1.0 / 3, 2},
    {"ring", 5, ring_rho(5), 2},
    {"ring", 1000, ring_rho(1000), 2},
    {"torus", 9, torus_rho(3, 3), 4},
    {"torus", 12, torus_rho(3, 4), 4},
    {"torus", 24, torus_rho(3, 8), 4, metropolis, "rows = 8"},
    {"torus", 1024, torus_rho(32, 32), 4},
    {"star", 2, 0, 1},
    {"star", 7, 1 - 1.0 / 7, 1},
    {"star", 1000, 1 - 1e-3, 1},
    {"exponential", 8, 1 - 2.0 / 3, 5},
    {"exponential", 1024, 1 - 2.0 / 10, 19},
    {"hypercube", 32, 1 - 2.0 / 6, 5},
    {"hypercube", 1024, 1 - 2.0 / 11, 10},
    {"ring", 6, (1 + ring_rho(6)) / 2, 2, lazy},
    {"ring", 10, (1 + cos_of(1, 10)) / (3 - cos_of(1, 10)), 2, best_constant},
    {"ring", 10, .8256646, 2, best_constant},
    {"ring", 40, .9877637, 2, best_constant},
    {"star", 40, 1 - 2.0 / 41, 1, best_constant},
    {"star", 40, .95122, 1, best_constant},
};

TEST(Graph, SpectraHaveTheirClosedForms) {
  for (const KnownRho& known : known_rhos) {
    SCOPED_TRACE(fmt::format("{} {} {}", known.kind, known.nodes, static_cast<int>(known.weights)));
    const Graph g = graph(known.kind, known.nodes, known.weights, known.keys);
    const double tolerance = known.weights == best_constant ? 5e-6 : 1e-12;
    EXPECT_EQ(g.degree(1), known.degree);
    ASSERT_TRUE(g.closed_form());
    EXPECT_NEAR(spectrum_of(g).rho(), known.rho, tolerance);
    const Spectrum found = spectrum_by_lanczos(g);
    EXPECT_TRUE(found.is_converged);
    EXPECT_NEAR(found.rho(), spectrum_of(g).rho(), 1e-12);
    EXPECT_NEAR(found.second, spectrum_of(g).second, 1e-12);
    EXPECT_NEAR(found.least, spectrum_of(g).least, 1e-12);
  }
}

TEST(Graph, LanczosFindsTheEigenvaluesOfADenseSolver) {
  for (const MixingWeights weights : {metropolis, lazy, best_constant}) {
    const Graph g = graph("erdos-renyi", 60, weights, "probability = 0.1");
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix_of(g));
    const auto& values = solver.eigenvalues();
    const Spectrum found = spectrum_of(g);
    EXPECT_FALSE(g.closed_form());
    EXPECT_NEAR(found.second, values(58), 1e-12);
    EXPECT_NEAR(found.least, values(0), 1e-12);
    EXPECT_NEAR(found.rho(), std::max(values(58), -values(0)), 1e-12);
  }
}

TEST(Graph, BestConstantWeightsHaveTheLargestGap) {
  const EdgeList edges = edges_of("erdos-renyi", 30, "probability = 0.2");
  const Spectrum best = spectrum_of(Graph(30, edges, best_constant));
  EXPECT_NEAR(best.second, -best.least, 1e-12);
  EXPECT_GT(best.gap, spectrum_of(Graph(30, edges, lazy)).gap);
}

TEST(Graph, MixingMatricesAreSymmetricWithRowsThatSumToOne) {
  for (const auto& kind : graphs()) {
    if (std::string(kind.name) == "file") continue;
    for (const MixingWeights weights : {metropolis, lazy}) {
      SCOPED_TRACE(kind.name);
      const Graph g = graph(kind.name, 16, weights);
      const Eigen::MatrixXd w = matrix_of(g);
      EXPECT_EQ(w, w.transpose());
      EXPECT_LT((w.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-15);
      EXPECT_GE(w.minCoeff(), -1e-15);
      for (std::uint32_t i = 0; i < g.nodes(); ++i)
        EXPECT_TRUE(std::ranges::is_sorted(g.neighbours(i), std::ranges::less_equal()));
    }
  }
}

// Consensus alone: an eigenvector shrinks by its eigenvalue in every round, and the mean stays.
TEST(Graph, EigenvectorsOfARingShrinkByTheirEigenvalues) {
  const Graph g = graph("ring", 24);
  for (int k = 1; k <= 12; ++k) {
    std::vector<double> x(24), mixed(24);
    for (int i = 0; i < 24; ++i) x[static_cast<std::size_t>(i)] = 7 + cos_of(k * i, 24);
    for (int round = 0; round < 5; ++round) {
      g.mix(x, mixed);
      std::swap(x, mixed);
    }
    const double factor = std::pow((1 + 2 * cos_of(k, 24)) / 3, 5);
    for (int i = 0; i < 24; ++i)
      EXPECT_NEAR(x[static_cast<std::size_t>(i)], 7 + factor * cos_of(k * i, 24), 1e-12);
  }
}

TEST(Graph, ManyNodesHaveATinyGap) {
  const Spectrum ring = spectrum_of(graph("ring", 1'000'000));
  const double half = std::sin(std::numbers::pi / 1e6);
  EXPECT_NEAR(ring.gap, 4.0 / 3 * half * half, 1e-12 * ring.gap);
  const Spectrum drawn =
      spectrum_of(graph("erdos-renyi", 10'000, metropolis, "probability = 0.002"));
  EXPECT_TRUE(drawn.is_converged);
  EXPECT_GT(drawn.gap, 0.05);
}

// Edge i < j exists if number i n + j of the stream of the attempt is below the probability.
TEST(Graph, RandomEdgesFollowTheirNumbers) {
  constexpr std::uint32_t n = 19;
  const EdgeList found = edges_of("erdos-renyi", n, "probability = 0.1", 5);
  std::vector<EdgeList::Edge> expected;
  std::vector<std::uint32_t> words(n * n);
  random_words({5, Purpose::graph, 0, found.redraws}, 0, words);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = i + 1; j < n; ++j)
      if ((words[i * n + j] + 0.5) / 4294967296.0 < 0.1) expected.emplace_back(i, j);
  EXPECT_EQ(found.edges, expected);
  EXPECT_TRUE(is_connected(n, found.edges));
  EXPECT_GT(found.redraws, 0U);
  EXPECT_NE(edges_of("erdos-renyi", n, "probability = 0.1", 6).edges, expected);
  EXPECT_EQ(edges_of("erdos-renyi", 8, "probability = 1").edges, edges_of("complete", 8).edges);
}

TEST(Graph, EdgesThatDoNotConnectAllNodesAreFound) {
  EXPECT_TRUE(is_connected(3, {{0, 1}, {1, 2}}));
  EXPECT_FALSE(is_connected(4, {{0, 1}, {2, 3}}));
  EXPECT_FALSE(is_connected(3, {{0, 1}}));
}

TEST(Graph, UnsuitableGraphsAreRefused) {
  const auto refused = [](const char* kind, std::uint32_t nodes, const char* keys,
                          const std::vector<std::string>& parts) {
    testing::expect_parts(testing::refusal([&] { graph(kind, nodes, metropolis, keys); }), parts);
  };
  refused("torus", 14, "", {"14 nodes in 2 rows", "at least 3"});
  refused("torus", 24, "rows = 5", {"graph.toml:1: rows = 5", "24 nodes in 5 rows"});
  refused("hypercube", 12, "", {"12 nodes", "power of 2"});
  refused("complete", 20'000, "", {"199990000 edges", "33554432 at most"});
  refused("erdos-renyi", 30, "probability = 0.03", {"none of 1000", "larger probability"});
  testing::expect_parts(testing::refusal([] { graph("star", 5, uniform); }),
                        {"different degrees", "choose metropolis"});
}

// With 100,000 nodes a draw takes seconds, and a thousand of them the better part of an hour.
TEST(Graph, HopelessProbabilitiesAreRefusedWithoutADraw) {
  for (const auto& [nodes, keys] :
       {std::pair{200U, "probability = 1e-3"}, std::pair{100'000U, "probability = 1e-6"},
        std::pair{100'000U, "probability = 4e-5"}})
    testing::expect_parts(
        testing::refusal([&, n = nodes, k = keys] { graph("erdos-renyi", n, metropolis, k); }),
        {"too small to connect", "larger probability, such as"});
  // At the threshold log(n) / n more than a third of all graphs is connected.
  for (const std::uint32_t nodes : {8U, 30U, 200U, 1000U})
    EXPECT_TRUE(is_connected(
        nodes, edges_of("erdos-renyi", nodes,
                        fmt::format("probability = {}", std::log(nodes) / nodes).c_str())
                   .edges));
}

class GraphFile : public ::testing::Test {
 protected:
  Graph read(const std::string& text, std::uint32_t nodes, MixingWeights weights = metropolis) {
    const std::string path = folder_.write("graph.txt", text);
    return graph("file", nodes, weights, "file = \"" + path + "\"");
  }
  void expect_refused(const std::string& text, std::uint32_t nodes,
                      const std::vector<std::string>& parts) {
    SCOPED_TRACE(text);
    testing::expect_parts(testing::refusal([&] { read(text, nodes); }), parts);
  }

 private:
  testing::TempFolder folder_;
};

TEST_F(GraphFile, EdgesHaveMetropolisWeights) {
  const Graph g = read("# a path\n1 0\n\n1\t2\r\n", 3);
  EXPECT_EQ(g.edges(), 2U);
  EXPECT_EQ(g.degree(1), 2U);
  EXPECT_DOUBLE_EQ(g.weight(0, 0), 1.0 / 3);
  EXPECT_NEAR(spectrum_of(g).rho(), 2.0 / 3, 1e-14);  // path of 3: eigenvalues 1, 2/3, 0
}

TEST_F(GraphFile, WeightsAreTaken) {
  const std::string path = "0 1 0.25\n2 1 0.5\n";
  const Graph g = read(path, 3);
  EXPECT_EQ(g.own_weight(0), 0.75);
  EXPECT_EQ(g.own_weight(1), 0.25);
  EXPECT_EQ(g.weight(2, 0), 0.5);
  EXPECT_EQ(read(path, 3, lazy).weight(2, 0), 0.25);
  testing::expect_parts(testing::refusal([&] { read(path, 3, best_constant); }),
                        {"the file of the graph states the weights"});
}

// networkx.write_edgelist writes {} for an edge without data, and others behind a weight.
TEST_F(GraphFile, EdgesOfNetworkxAreTaken) {
  const Graph g = read("0 1 {}\n1 2 {}\n", 3);
  EXPECT_DOUBLE_EQ(g.weight(0, 1), read("0 1\n1 2\n", 3).weight(0, 1));
  expect_refused("0 1 {'weight': 0.5}\n", 2, {"graph.txt:1: ", "write_weighted_edgelist"});
}

// A ring of three nodes is the complete graph, whose second eigenvalue is 0 but for rounding.
TEST_F(GraphFile, EigenvaluesOfRoundingAreZero) {
  for (const Graph& g : {graph("ring", 3), graph("complete", 3), read("0 1\n1 2\n2 0\n", 3)}) {
    EXPECT_EQ(spectrum_of(g).second, 0);
    EXPECT_EQ(spectrum_of(g).gap, 1);
  }
}

// Stated, the weight 1 makes two nodes swap their models; half of it averages them.
TEST_F(GraphFile, LazyWeightsMakeSwappingNodesAgree) {
  const Graph halved = read("0 1 1\n", 2, MixingWeights::lazy);
  EXPECT_EQ(halved.weight(0, 0), 0.5);
  EXPECT_EQ(halved.own_weight(0), 0.5);
  EXPECT_NEAR(spectrum_of(halved).rho(), 0, 1e-14);
}

TEST_F(GraphFile, MistakesAreRefused) {
  expect_refused("0 1\n1 1\n", 2, {"graph.txt:2: an edge from node 1 to itself"});
  expect_refused("0 1\n1 2\n1 0\n", 3, {"graph.txt:3: the edge of nodes 0 and 1 occurs twice"});
  expect_refused("0 3\n", 3, {"graph.txt:1: '3' is no node", "0 to 2"});
  expect_refused("0 -1\n", 3, {"'-1' is no node"});
  expect_refused("0\n", 3, {"graph.txt:1: 1 words", "3 7 0.25"});
  expect_refused("0 1 x\n", 3, {"the weight 'x' is not a number above 0"});
  expect_refused("0 1 0\n", 3, {"the weight '0' is not a number above 0"});
  expect_refused("0 1 0.1\n1 2\n", 3, {"graph.txt:2: edges with and without a weight"});
  expect_refused("0 1\n2 3\n", 4, {"4 nodes is not connected"});
  expect_refused("0 1 1\n", 2, {"the nodes never agree (consensus rate 1)", "lazy"});
  testing::expect_parts(testing::refusal([] { graph("file", 3); }), {"name the file"});
}

}  // namespace
}  // namespace trilemma::graph_test
