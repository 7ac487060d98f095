// Decentralised methods (src/method/node_method.hpp) on four nodes with two quadratic functions
// each: reference trajectories, and what holds for any compressor.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/nodes.hpp"

namespace trilemma::node_methods_test {
namespace {

using namespace testing::nodes;

struct Trajectory {
  const char* method;
  const char* keys;
  const char* compressor;
  double x0_after_2[d], x0_after_10[d], x2_after_10[d];
  Gradients gradients = Gradients::functions;
};

const Trajectory trajectories[] = {
    {"dsgd",
     "",
     "identity",
     {-0.179633246528, -0.146253797743, 0.537570529514},
     {-0.120111191338, -0.343792870809, 1.303360381310},
     {0.333516852969, -0.458160128747, 1.207309259024}},
    {"dsgd",
     "order = \"combine-then-adapt\"",
     "identity",
     {-0.492187500000, 0.177490234375, 0.370442708333},
     {-0.427932797998, 0.058826646167, 1.108047625622},
     {0.756159675600, -0.216596503818, 0.875651038583}},
    {"choco-sgd",
     "consensus = 0.5\ncopies = \"zero\"",
     "top-k",
     {-0.468750000000, 0.243998209635, 0.358886718750},
     {-0.570476737100, 0.034274139240, 1.202859764640},
     {0.885144113784, -0.302748931707, 0.898673066211}},
    {"beer",
     "consensus = 0.5\ncopies = \"zero\"",
     "top-k",
     {-0.703125000000, 0.572021484375, 0.205078125000},
     {0.004151719776, -0.252978124648, 1.279418559354},
     {0.282556177761, -0.364963208236, 1.048292143258}},
    {"porter-dp",
     "consensus = 0.5\ncopies = \"zero\"",
     "top-k",
     {-0.126880867282, 0.087331515396, 0.071444263649},
     {0.033886574642, -0.075600627195, 0.320479961337},
     {0.014190837610, -0.050116491824, 0.305603034714},
     Gradients::smooth},
    {"porter-dp",
     "consensus = 0.5\ncopies = \"zero\"",
     "top-k",
     {-0.159223628793, 0.108483713922, 0.082159012370},
     {0.005996569375, -0.082579927407, 0.385393854749},
     {-0.003179768542, -0.053011389091, 0.372378846330},
     Gradients::clipped},
};

TEST(NodeMethods, FollowTheirReferenceTrajectories) {
  for (const Trajectory& known : trajectories) {
    SCOPED_TRACE(std::string(known.method) + " " + known.keys);
    Nodes nodes(known.method, known.keys, graph_of("ring"), known.compressor);
    nodes.run(2, known.gradients);
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(nodes.x(0, j), known.x0_after_2[j], tolerance);
    nodes.run(8, known.gradients);
    for (std::size_t j = 0; j < d; ++j) {
      EXPECT_NEAR(nodes.x(0, j), known.x0_after_10[j], tolerance);
      EXPECT_NEAR(nodes.x(2, j), known.x2_after_10[j], tolerance);
    }
  }
}

// The mean moves by the mean of the gradients, whatever the graph.
TEST(NodeMethods, TheMeanModelFollowsTheMeanGradient) {
  for (const char* order : {"adapt-then-combine", "combine-then-adapt"})
    for (const char* kind : {"ring", "star", "complete"}) {
      SCOPED_TRACE(std::string(order) + " " + kind);
      Nodes nodes("dsgd", fmt::format("order = \"{}\"", order), graph_of(kind), "identity", 1);
      for (int t = 0; t < 20; ++t) {
        double expected[d];
        for (std::size_t j = 0; j < d; ++j)
          expected[j] = nodes.mean(j) - 0.125 * nodes.mean_gradient(j);
        nodes.round();
        for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(nodes.mean(j), expected[j], tolerance);
      }
    }
}

TEST(NodeMethods, WithoutGradientsTheMeanStays) {
  Nodes nodes("dsgd", "", graph_of("star"), "identity", 1);
  for (int t = 0; t < 120; ++t) nodes.round(Gradients::none);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(nodes.x(i, j), 2.5, tolerance);
}

// Where nothing is lost, all methods of one message are dsgd, some with W_e = (1 - e) I + e W.
TEST(NodeMethods, WithoutCompressionTheyAreDsgd) {
  const std::string combine = "order = \"combine-then-adapt\"";
  const std::string zero = "copies = \"zero\"";  // where the nodes' models differ
  for (const double start : {0.0, 1.0}) {
    expect_equal({"choco-sgd", "consensus = 1\n" + zero, graph_of("ring"), "identity", start},
                 {"dsgd", "", graph_of("ring"), "identity", start});
    expect_equal({"choco-sgd", "consensus = 0.5\n" + zero, graph_of("ring"), "identity", start},
                 {"dsgd", "", graph_of("ring", MixingWeights::lazy), "identity", start});
    const std::string late = "order = \"combine-then-adapt\"\n" + zero;
    expect_equal({"choco-sgd", "consensus = 1\n" + late, graph_of("ring")},
                 {"dsgd", combine, graph_of("ring")});
    expect_equal({"choco-sgd", "consensus = 0.5\n" + late, graph_of("ring")},
                 {"dsgd", combine, graph_of("ring", MixingWeights::lazy)});
    expect_equal({"deepsqueeze", "consensus = 1", graph_of("ring"), "identity", start},
                 {"dsgd", "", graph_of("ring"), "identity", start});
    expect_equal({"deepsqueeze", "consensus = 0.5", graph_of("ring"), "identity", start},
                 {"dsgd", "", graph_of("ring", MixingWeights::lazy), "identity", start});
    expect_equal({"q-dpsgd-1", "consensus = 1", graph_of("star"), "identity", start},
                 {"dsgd", combine, graph_of("star"), "identity", start});
  }
  expect_equal({"sdm-dsgd", "share = 1", graph_of("ring")}, {"dsgd", combine, graph_of("ring")});
  expect_equal({"q-dpsgd-1", "consensus = 0.5", graph_of("ring"), "identity", 1, 0.25},
               {"dsgd", combine, graph_of("ring", MixingWeights::lazy), "identity", 1, 0.125});
}

struct Case {
  const char *method, *keys, *compressor;
};

// The mean does not feel what compression loses, and moves by the mean gradient.
TEST(NodeMethods, CompressionDoesNotMoveTheMean) {
  const Case cases[] = {{"choco-sgd", "consensus = 0.5", "top-k"},
                        {"choco-sgd", "consensus = 0.5\norder = \"combine-then-adapt\"", "top-k"},
                        {"deepsqueeze", "consensus = 0.1", "top-k"},
                        {"d2", "", "identity"},
                        {"gradient-tracking", "", "identity"},
                        {"beer", "consensus = 0.3", "top-k"},
                        {"porter-dp", "consensus = 0.3", "top-k"},
                        {"porter-gc", "consensus = 0.3\ncopies = \"zero\"", "top-k"},
                        {"motef", "consensus = 0.3\nmomentum = 1", "top-k"}};
  for (const auto& [method, keys, compressor] : cases) {
    SCOPED_TRACE(std::string(method) + " " + keys);
    Nodes nodes(method, keys, graph_of("ring"), compressor);
    for (int t = 0; t < 30; ++t) {
      double expected[d];
      for (std::size_t j = 0; j < d; ++j)
        expected[j] = nodes.mean(j) - 0.125 * nodes.mean_gradient(j);
      nodes.round();
      for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(nodes.mean(j), expected[j], tolerance);
    }
  }
}

// Every node knows the weighted sum of its neighbours' copies, whatever is sent.
TEST(NodeMethods, SumsAreThoseOfTheCopies) {
  for (const char* method : {"choco-sgd", "sdm-dsgd", "beer", "porter-dp", "motef"})
    for (const char* kind : {"ring", "star"}) {
      SCOPED_TRACE(std::string(method) + " " + kind);
      Nodes nodes(method, "", graph_of(kind), "top-k");
      const Graph& graph = nodes.graph();
      for (int t = 0; t < 20; ++t) {
        nodes.round();
        for (std::uint32_t i = 0; i < n; ++i)
          for (std::size_t channel = 0; channel < nodes.method().channels(); ++channel)
            for (std::size_t j = 0; j < d; ++j) {
              double sum = graph.own_weight(i) * nodes.node(i).own[channel][j];
              for (std::size_t at = 0; at < graph.degree(i); ++at)
                sum += graph.weight(i, at) * nodes.node(graph.neighbours(i)[at]).own[channel][j];
              EXPECT_NEAR(nodes.node(i).mixed[channel][j], sum, 1e-12);
            }
      }
    }
}

// Over many rounds the rounding of float messages and models does not add up in the mean. That of
// double sums does: to 2e-10 in 20,000 rounds.
TEST(NodeMethods, TheMeanKeepsItsPlaceForThousandsOfRounds) {
  const std::pair<const char*, const char*> methods[] = {{"choco-sgd", "consensus = 0.5"},
                                                         {"sdm-dsgd", "share = 0.5"},
                                                         {"deepsqueeze", "consensus = 0.5"},
                                                         {"gradient-tracking", ""},
                                                         {"d2", ""},
                                                         {"porter-dp", "consensus = 0.5"}};
  for (const auto& [method, keys] : methods) {
    SCOPED_TRACE(method);
    Nodes nodes(method, keys, graph_of("ring"), "identity", 0);
    nodes.run(3);
    const double start[d] = {nodes.mean(0), nodes.mean(1), nodes.mean(2)};
    for (int t = 0; t < 20000; ++t) nodes.round(Gradients::cancelling);
    for (std::size_t j = 0; j < d; ++j) {
      EXPECT_GT(std::abs(nodes.x(0, j) - nodes.x(1, j)), 0.01);
      EXPECT_NEAR(nodes.mean(j), start[j], testing::wide ? 1e-9 : 1e-7);
    }
  }
}

// With a complete graph and a common start, every node has the model of centralised descent.
TEST(NodeMethods, ACompleteGraphIsCentralised) {
  const std::pair<const char*, const char*> methods[] = {{"dsgd", ""},
                                                         {"choco-sgd", "consensus = 1"},
                                                         {"deepsqueeze", "consensus = 1"},
                                                         {"d2", "consensus = 1"}};
  for (const auto& [method, keys] : methods) {
    SCOPED_TRACE(method);
    Nodes nodes(method, keys, graph_of("complete"));
    double x[d] = {};
    for (int t = 0; t < 9; ++t) {
      nodes.round();
      for (std::size_t j = 0; j < d; ++j) {
        double gradient = 0;
        for (std::size_t i = 0; i < n; ++i) gradient += slope_of(i, j, x[j]) / n;
        x[j] -= 0.125 * gradient;
        for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(nodes.x(i, j), x[j], tolerance);
      }
    }
  }
}

// At the stationary point of a constant step the nodes' gradients cancel.
TEST(NodeMethods, StationaryPointsOfDsgd) {
  const double adapt[d] = {-0.097590358478, -0.399556953372, 1.520044726553};
  const double combine[d] = {-0.408468804215, 0.006403849499, 1.334792456467};
  for (const bool combines : {false, true}) {
    Nodes nodes("dsgd", combines ? "order = \"combine-then-adapt\"" : "", graph_of("ring"));
    nodes.run(1000);
    for (std::size_t j = 0; j < d; ++j) {
      EXPECT_NEAR(nodes.x(0, j), combines ? combine[j] : adapt[j], 3 * tolerance);
      double gradients = 0;
      for (std::size_t i = 0; i < n; ++i) gradients += a_of(i, j) * (nodes.x(i, j) - c_of(i, j));
      EXPECT_NEAR(gradients, 0, 20 * tolerance);
    }
  }
}

// For any compressor that vanishes only at 0, choco-sgd ends where dsgd with W_gamma = (1 - gamma)
// I
// + gamma W does.
TEST(NodeMethods, StationaryPointsOfChoco) {
  Nodes nodes("choco-sgd", "consensus = 0.5", graph_of("ring"), "top-k");
  Nodes same("dsgd", "", graph_of("ring", MixingWeights::lazy));
  nodes.run(3000);
  same.run(3000);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(nodes.x(i, j), same.x(i, j), 3 * tolerance);
}

}  // namespace
}  // namespace trilemma::node_methods_test
