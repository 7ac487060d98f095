// What nodes that average learn of each other (src/privacy/network_dp.hpp), against values worked
// out by hand and against those of an independent program.

#include "privacy/network_dp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/random.hpp"
#include "schedule/graph.hpp"

namespace trilemma::network_dp_test {
namespace {

Graph graph(const std::string& kind, std::uint32_t nodes, const std::string& keys = "") {
  Settings settings = Settings::from_text(keys, "graph.toml");
  return {nodes, row(graphs(), kind).make(settings, nodes, 1), MixingWeights::metropolis};
}

Mixing mixing(const Graph& g) {
  return [&g](std::span<const double> x, std::span<double> mixed) { g.mix(x, mixed); };
}

AveragingView view_of(const Graph& g, std::uint32_t viewer, std::uint32_t steps) {
  return {g.nodes(), viewer, g.neighbours(viewer), steps};
}

std::vector<double> exact(const Graph& g, std::uint32_t viewer, std::uint32_t steps) {
  return exact_pairwise_loss(view_of(g, viewer, steps), mixing(g)).shares;
}

std::vector<double> published(const Graph& g, std::uint32_t viewer, std::uint32_t steps) {
  return published_pairwise_loss(view_of(g, viewer, steps), mixing(g));
}

// Values at the nodes `at`, as seen by node 0: `as_run` is the formula of the public code without
// the message of t = 0.
struct KnownLoss {
  const char* kind;
  std::uint32_t nodes, steps;
  std::vector<std::uint32_t> at;
  std::vector<double> capped, as_run, exact;
};

const KnownLoss known_losses[] = {
    {"hypercube",
     32,
     7,
     {1, 3, 7, 15, 31},
     {1, 1, .596217, .304864, .180047},
     {1.804302, 1.361368, .723965, .445079, .270392},
     {1, .5, .5, 1, 1}},
    {"hypercube",
     128,
     10,
     {3, 7, 15, 127},
     {1, .457155, .247899, .046448},
     {1.068809, .521927, .291996, .078784},
     {1.0 / 3, .2, .2, 1}},
    {"ring", 32, 31, {8, 16}, {.111403, .000009}, {.125821, .000014}, {1, 1}},
};

TEST(NetworkDp, HasTheTabulatedValues) {
  for (const KnownLoss& known : known_losses) {
    SCOPED_TRACE(std::string(known.kind) + " " + std::to_string(known.nodes));
    const Graph g = graph(known.kind, known.nodes);
    const auto shares = exact(g, 0, known.steps);
    // The table's column "as run" takes the messages of t = 1, ..., T.
    const auto sums = published(g, 0, known.steps), more = published(g, 0, known.steps + 1);
    const auto first = published(g, 0, 1);
    for (std::size_t i = 0; i < known.at.size(); ++i) {
      const std::uint32_t u = known.at[i];
      EXPECT_NEAR(shares[u], known.exact[i], 1e-9) << u;
      EXPECT_NEAR(std::min(sums[u], 1.0), known.capped[i], 6e-7) << u;
      EXPECT_NEAR(more[u] - first[u], known.as_run[i], 6e-7) << u;
    }
  }
}

TEST(NetworkDp, TwoMessagesOfARingShowTheNodeBehindTheNeighbour) {
  const Graph g = graph("ring", 12);
  // x_2^0 = 3 x_1^1 - x_1^0 - x_0^0, and node 0 sees the three values on the right.
  EXPECT_NEAR(exact(g, 0, 2)[2], 1, 1e-12);
  EXPECT_NEAR(published(g, 0, 2)[2], 1.0 / 3, 1e-12);
}

TEST(NetworkDp, ARingShowsEveryNodeUpToTheNumberOfSteps) {
  const Graph g = graph("ring", 40);
  const auto shares = exact(g, 0, 7);
  for (std::uint32_t u = 1; u < 40; ++u)
    EXPECT_NEAR(shares[u], std::min(u, 40 - u) <= 7 ? 1.0 : 0.0, 1e-12) << u;
}

TEST(NetworkDp, ACompleteGraphShowsAllNodes) {
  for (const double share : exact(graph("complete", 9), 4, 1)) EXPECT_NEAR(share, 1, 1e-12);
}

TEST(NetworkDp, LeavesOfAStarShareTheirLoss) {
  const Graph g = graph("star", 16);
  for (const std::uint32_t steps : {2U, 12U}) EXPECT_NEAR(exact(g, 1, steps)[2], 1.0 / 14, 1e-12);
  EXPECT_NEAR(exact(g, 1, 1)[2], 0, 1e-12);
  EXPECT_NEAR(published(g, 1, 12)[2], .6875, 1e-9);
  EXPECT_NEAR(published(g, 1, 13)[2] - published(g, 1, 1)[2], .75, 1e-9);
  EXPECT_NEAR(exact(g, 0, 1)[2], 1, 1e-12);  // the centre sees every leaf
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(NetworkDp, AllPairsShareTheDimensionOfTheView) {
  const Graph exponential = graph("exponential", 256);
  const PairwiseLoss loss = exact_pairwise_loss(view_of(exponential, 0, 3), mixing(exponential));
  EXPECT_EQ(loss.dimension, 46U);
  EXPECT_NEAR((sum(loss.shares) - 1) / 255, 45.0 / 255, 1e-12);
  const Graph random = graph("erdos-renyi", 60, "probability = 0.08");
  for (const std::uint32_t viewer : {0U, 17U}) {
    const PairwiseLoss of_node = exact_pairwise_loss(view_of(random, viewer, 4), mixing(random));
    EXPECT_NEAR(sum(of_node.shares), static_cast<double>(of_node.dimension), 1e-9);
    EXPECT_LE(of_node.dimension, random.degree(viewer) * 4U + 1);
    EXPECT_NEAR(sum(published(random, viewer, 4)), random.degree(viewer) * 4.0, 1e-9);
  }
}

TEST(NetworkDp, TheProjectorIsThatOfTheMessagesThemselves) {
  // A random graph has no closed form: the messages are stacked and orthogonalised directly.
  const Graph g = graph("erdos-renyi", 30, "probability = 0.1");
  const auto mix = mixing(g);
  std::vector<std::vector<double>> rows;
  const auto unit = [](std::uint32_t at) {
    std::vector<double> e(30, 0.0);
    e[at] = 1;
    return e;
  };
  rows.push_back(unit(3));
  for (const std::uint32_t w : g.neighbours(3)) {
    std::vector<double> row = unit(w), mixed(30);
    for (int t = 0; t < 3; ++t) {
      rows.push_back(row);
      mix(row, mixed);
      row = mixed;
    }
  }
  // P_uu is the squared length of the projection of e_u.
  std::vector<std::vector<double>> basis;
  for (auto& row : rows) {
    for (int pass = 0; pass < 3; ++pass)
      for (const auto& q : basis) {
        const double part = std::inner_product(q.begin(), q.end(), row.begin(), 0.0);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] -= part * q[i];
      }
    const double length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
    if (length < 1e-9) continue;
    for (double& value : row) value /= length;
    basis.push_back(row);
  }
  const auto shares = exact(g, 3, 3);
  for (std::uint32_t u = 0; u < 30; ++u) {
    double direct = 0;
    for (const auto& q : basis) direct += q[u] * q[u];
    EXPECT_NEAR(shares[u], direct, 1e-9) << u;
  }
}

}  // namespace
}  // namespace trilemma::network_dp_test
