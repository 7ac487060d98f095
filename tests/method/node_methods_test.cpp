// Decentralised methods (src/method/node_method.hpp) on four nodes with two quadratic functions
// each: reference trajectories, and what holds for any compressor.

#include <gtest/gtest.h>

#include <cmath>

#include "method/method.hpp"
#include "schedule/graph.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::node_methods_test {
namespace {

constexpr std::uint32_t n = 4;
constexpr std::size_t d = 3;

Graph graph_of(const char* kind, MixingWeights weights = MixingWeights::metropolis) {
  Settings none = Settings::empty();
  return {n, row(graphs(), kind).make(none, n, 1), weights};
}

// f_i(x) = sum_j a_ij (x_j - c_ij)^2 / 2.
double a_of(std::size_t i, std::size_t j) { return 1 + static_cast<double>((i + 2 * j) % 4) / 4; }
double c_of(std::size_t i, std::size_t j) {
  return static_cast<double>((3 * i + 5 * j) % 7) - 3 + static_cast<double>(i) / 8 +
         static_cast<double>(j) / 16;
}

// Gradients of the nodes: of the functions, 0, or of random sizes that cancel out.
enum class Gradients { functions, none, cancelling };

// Runs a method on all nodes; messages are those of `compressor`.
class Nodes {
 public:
  Nodes(const std::string& method, const std::string& keys, const Graph& graph,
        const char* compressor = "identity", double start = 0, double rate = 0.125)
      : graph_(graph),
        compressor_(testing::make_compressor(
            compressor, d, compressor == std::string("top-k") ? "k = 1" : "",
            testing::wide ? ValueFormat::float64 : ValueFormat::float32)) {
    Settings settings =
        Settings::from_text(fmt::format("[gossip]\nrate = {}\n{}", rate, keys), "test.toml");
    method_ = row(methods(), method).make(settings).node.make();
    for (std::uint32_t i = 0; i < n; ++i) {
      model_[i].assign(d, static_cast<real>(start * (i + 1.0)));
      vectors_[i].assign(method_->vectors(), Node::Doubles(d));
      own_[i].assign(method_->channels(), Node::Doubles(d));
      mixed_[i] = own_[i];
      Node own = node(i);
      method_->start(own);
    }
  }

  void round(Gradients gradients = Gradients::functions) {
    const std::size_t channels = method_->channels();
    std::vector<Sent> sent(channels);
    for (std::uint32_t i = 0; i < n; ++i) {
      const Vector y = gradient(i, gradients);
      for (std::size_t channel = 0; channel < channels; ++channel) {
        Vector message = y;
        Node own = node(i);
        method_->offer(channel, own, message);
        const auto step = static_cast<std::uint32_t>(channels * rounds_ + channel);
        sent[channel].push_back(compressed(i, step, message));
      }
    }
    ++rounds_;
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::size_t channel = 0; channel < channels; ++channel) mix(i, channel, sent[channel]);
      Node own = node(i);
      method_->combine(own);
    }
  }
  void run(int rounds) {
    for (int t = 0; t < rounds; ++t) round();
  }

  double x(std::size_t i, std::size_t j) const { return static_cast<double>(model_[i][j]); }
  double mean(std::size_t j) const { return (x(0, j) + x(1, j) + x(2, j) + x(3, j)) / 4; }

 private:
  using Sent = std::vector<std::vector<double>>;  // by node
  Vector gradient(std::uint32_t i, Gradients gradients) const {
    Vector y(d);
    Stream pair({1, Purpose::noise, i / 2, rounds_});
    for (std::size_t j = 0; j < d; ++j) {
      if (gradients == Gradients::functions)
        y[j] = static_cast<real>(a_of(i, j) * (x(i, j) - c_of(i, j)));
      if (gradients == Gradients::cancelling)
        y[j] = static_cast<real>(i % 2 == 0 ? pair.uniform() : -pair.uniform());
    }
    return y;
  }
  Node node(std::uint32_t i) {
    return {model_[i], vectors_[i], own_[i], mixed_[i], graph_.own_weight(i)};
  }
  std::vector<double> compressed(std::uint32_t i, std::uint32_t step, const Vector& message) {
    Message out;
    compressor_->compress(message, {1, Purpose::mask, i, step}, out);
    return testing::dense(compressor_->expand(out), d);
  }
  void mix(std::uint32_t i, std::size_t channel, const Sent& sent) {
    auto& own = own_[i][channel];
    auto& mixed = mixed_[i][channel];
    for (std::size_t j = 0; j < d; ++j) {
      if (!method_->keeps_sums()) own[j] = mixed[j] = 0;
      own[j] += sent[i][j];
      mixed[j] += graph_.own_weight(i) * sent[i][j];
      for (std::size_t at = 0; at < graph_.degree(i); ++at)
        mixed[j] += graph_.weight(i, at) * sent[graph_.neighbours(i)[at]][j];
    }
  }

  Graph graph_;
  std::unique_ptr<Compressor> compressor_;
  std::unique_ptr<NodeMethod> method_;
  Vector model_[n];
  std::vector<Node::Doubles> vectors_[n], own_[n], mixed_[n];
  std::uint32_t rounds_ = 0;
};

constexpr double tolerance = testing::wide ? 1e-11 : 2e-6;

struct Trajectory {
  const char* method;
  const char* keys;
  const char* compressor;
  double x0_after_2[d], x0_after_10[d], x2_after_10[d];
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
};

TEST(NodeMethods, FollowTheirReferenceTrajectories) {
  for (const Trajectory& known : trajectories) {
    SCOPED_TRACE(std::string(known.method) + " " + known.keys);
    Nodes nodes(known.method, known.keys, graph_of("ring"), known.compressor);
    nodes.run(2);
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(nodes.x(0, j), known.x0_after_2[j], tolerance);
    nodes.run(8);
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
        for (std::size_t j = 0; j < d; ++j) {
          double gradient = 0;
          for (std::size_t i = 0; i < n; ++i)
            gradient += a_of(i, j) * (nodes.x(i, j) - c_of(i, j)) / n;
          expected[j] = nodes.mean(j) - 0.125 * gradient;
        }
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

// Both runs have the same models in every round.
void expect_equal(Nodes one, Nodes other) {
  for (int t = 0; t < 9; ++t) {
    one.round();
    other.round();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(one.x(i, j), other.x(i, j), 3 * tolerance);
  }
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
    expect_equal({"q-dpsgd-1", "consensus = 1", graph_of("star"), "identity", start},
                 {"dsgd", combine, graph_of("star"), "identity", start});
  }
  expect_equal({"sdm-dsgd", "share = 1", graph_of("ring")}, {"dsgd", combine, graph_of("ring")});
  expect_equal({"q-dpsgd-1", "consensus = 0.5", graph_of("ring"), "identity", 1, 0.25},
               {"dsgd", combine, graph_of("ring", MixingWeights::lazy), "identity", 1, 0.125});
}

// The mean does not feel the compression of differences.
TEST(NodeMethods, CompressionDoesNotMoveTheMeanOfChoco) {
  Nodes nodes("choco-sgd", "consensus = 0.5", graph_of("ring"), "top-k", 0);
  for (int t = 0; t < 30; ++t) {
    double expected[d];
    for (std::size_t j = 0; j < d; ++j) {
      double gradient = 0;
      for (std::size_t i = 0; i < n; ++i) gradient += a_of(i, j) * (nodes.x(i, j) - c_of(i, j)) / n;
      expected[j] = nodes.mean(j) - 0.125 * gradient;
    }
    nodes.round();
    for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(nodes.mean(j), expected[j], tolerance);
  }
}

// Over many rounds the rounding of messages, models and sums of copies does not add up in the mean:
// what remains is the rounding of the models themselves.
TEST(NodeMethods, TheMeanKeepsItsPlaceForThousandsOfRounds) {
  const std::pair<const char*, const char*> methods[] = {{"choco-sgd", "consensus = 0.5"},
                                                         {"sdm-dsgd", "share = 0.5"}};
  for (const auto& [method, keys] : methods) {
    SCOPED_TRACE(method);
    Nodes nodes(method, keys, graph_of("ring"), "identity", 0);
    nodes.run(3);
    const double start[d] = {nodes.mean(0), nodes.mean(1), nodes.mean(2)};
    for (int t = 0; t < 20000; ++t) nodes.round(Gradients::cancelling);
    for (std::size_t j = 0; j < d; ++j) {
      EXPECT_GT(std::abs(nodes.x(0, j) - nodes.x(1, j)), 0.01);
      EXPECT_NEAR(nodes.mean(j), start[j], testing::wide ? 1e-12 : 1e-7);
    }
  }
}

// With a complete graph and a common start, every node has the model of centralised descent.
TEST(NodeMethods, ACompleteGraphIsCentralised) {
  Nodes nodes("dsgd", "", graph_of("complete"));
  double x[d] = {};
  for (int t = 0; t < 9; ++t) {
    nodes.round();
    for (std::size_t j = 0; j < d; ++j) {
      double gradient = 0;
      for (std::size_t i = 0; i < n; ++i) gradient += a_of(i, j) * (x[j] - c_of(i, j)) / n;
      x[j] -= 0.125 * gradient;
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(nodes.x(i, j), x[j], tolerance);
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

}  // namespace
}  // namespace trilemma::node_methods_test
