// Methods that track the mean gradient (src/method/compressed_tracking.cpp, gradient_tracking.cpp,
// d2.cpp): reductions, stationary points, and what a round of porter-dp releases.

#include <gtest/gtest.h>

#include "tests/support/nodes.hpp"

namespace trilemma::tracking_methods_test {
namespace {

using namespace testing::nodes;

// Without compression, PORTER with copies that start at the model is gradient tracking with
// W_gamma.
TEST(TrackingMethods, WithoutCompressionPorterIsGradientTracking) {
  expect_equal({"porter-dp", "consensus = 0.5", graph_of("ring")},
               {"gradient-tracking", "", graph_of("ring", MixingWeights::lazy)});
  expect_equal({"porter-dp", "consensus = 1", graph_of("star")},
               {"gradient-tracking", "", graph_of("star")});
}

TEST(TrackingMethods, WithoutMomentumMotefIsBeer) {
  for (const char* compressor : {"identity", "top-k"})
    expect_equal({"motef", "consensus = 0.5\nmomentum = 1", graph_of("ring"), compressor},
                 {"beer", "consensus = 0.5", graph_of("ring"), compressor});
}

TEST(TrackingMethods, PorterOfBothKindsTakesTheSameSteps) {
  expect_equal({"porter-gc", "consensus = 0.5", graph_of("ring"), "top-k"},
               {"porter-dp", "consensus = 0.5", graph_of("ring"), "top-k"}, Gradients::clipped);
}

// BEER's first v_i is not sent: after one round of both, PORTER's copies of v_i are C(v_i) and
// BEER's are 0; nothing else differs.
TEST(TrackingMethods, BeerAndPorterDifferInTheFirstMessage) {
  Nodes beer("beer", "consensus = 0.5", graph_of("ring"));
  Nodes porter("porter-dp", "consensus = 0.5", graph_of("ring"));
  beer.round();
  porter.round();
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      EXPECT_EQ(beer.x(i, j), porter.x(i, j));
      EXPECT_EQ(beer.node(i).vectors[1][j], porter.node(i).vectors[1][j]);
      EXPECT_EQ(beer.node(i).own[0][j], 0);
      EXPECT_NEAR(porter.node(i).own[0][j], porter.node(i).vectors[1][j], tolerance);
    }
}

// With different data at the nodes, the nodes agree on the minimiser of the sum.
TEST(TrackingMethods, AllNodesEndAtTheMinimiser) {
  const double minimiser[d] = {0.170454545455, -0.357954545455, 1.386363636364};
  struct Case {
    const char *method, *keys, *compressor;
  };
  const Case cases[] = {{"gradient-tracking", "", "identity"},
                        {"d2", "", "identity"},
                        {"beer", "consensus = 0.5", "top-k"},
                        {"porter-dp", "consensus = 0.5", "top-k"},
                        {"motef", "consensus = 0.3\nmomentum = 0.5", "top-k"}};
  for (const auto& [method, keys, compressor] : cases) {
    SCOPED_TRACE(method);
    Nodes nodes(method, keys, graph_of("ring"), compressor, 0, 0.0625);
    nodes.run(4000);
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(nodes.x(i, j), minimiser[j], 3 * tolerance);
  }
}

// vbar = ybar, and v_i - y_i is gamma times the sum of all differences of copies of the rounds
// before: what a round of porter-dp adds to what was sent is its y_i and nothing else, however
// large the noise of earlier rounds was.
TEST(TrackingMethods, ARoundOfPorterReleasesItsOwnGradientOnly) {
  Nodes nodes("porter-dp", "consensus = 0.5\ncopies = \"zero\"", graph_of("ring"), "top-k");
  double sent_before[n][d] = {};
  for (int t = 0; t < 40; ++t) {
    Vector y[n];
    for (std::uint32_t i = 0; i < n; ++i) {
      y[i] = nodes.gradient(i, Gradients::smooth);
      for (std::size_t j = 0; j < d; ++j)
        sent_before[i][j] += nodes.node(i).mixed[0][j] - nodes.node(i).own[0][j];
    }
    nodes.round(Gradients::smooth);
    for (std::size_t j = 0; j < d; ++j) {
      double v = 0, mean = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        v += nodes.node(i).vectors[1][j] / n;
        mean += static_cast<double>(y[i][j]) / n;
        EXPECT_NEAR(nodes.node(i).vectors[1][j] - static_cast<double>(y[i][j]),
                    0.5 * sent_before[i][j], 1e-12);
      }
      EXPECT_NEAR(v, mean, 1e-12);
    }
  }
}

// m_i is the mean of the gradients with geometric weights, the first one with what is left.
TEST(TrackingMethods, MotefFollowsTheMomentum) {
  Nodes nodes("motef", "consensus = 0.3\nmomentum = 0.25", graph_of("ring"), "top-k");
  double momentum[d] = {};
  for (int t = 0; t < 20; ++t) {
    double expected[d];
    for (std::size_t j = 0; j < d; ++j) {
      const double fresh = t == 0 ? 1 : 0.25;
      momentum[j] += fresh * (nodes.mean_gradient(j) - momentum[j]);
      expected[j] = nodes.mean(j) - 0.125 * momentum[j];
    }
    nodes.round();
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(nodes.mean(j), expected[j], tolerance);
  }
}

}  // namespace
}  // namespace trilemma::tracking_methods_test
