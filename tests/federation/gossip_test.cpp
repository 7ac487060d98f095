// Whole runs of decentralised methods in one process: the driver, its columns, its claim, and what
// it refuses.

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/claim.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::gossip_test {
namespace {

using testing::Federation;
using testing::tiny_experiment;

std::vector<std::string> with(std::vector<std::string> keys) {
  keys.insert(keys.begin(), "method=dsgd");
  return keys;
}

// Adapt-then-combine on a complete graph averages what every client of ldp-sgd sends, with the same
// minibatches and the same noise.
TEST(Gossip, ACompleteGraphEqualsTheMethodWithAServer) {
  for (const char* regulariser : {"problem.lambda=0.2", "problem.lambda=0"}) {
    Federation nodes(tiny_experiment,
                     with({"graph.kind=complete", "gossip.rate=0.3", regulariser}));
    Federation clients(tiny_experiment, {"method=ldp-sgd", "server.rate=0.3", regulariser});
    for (int t = 0; t < 10; ++t) {
      nodes.round();
      clients.round();
      for (std::size_t j = 0; j < nodes.x().size(); ++j)
        EXPECT_NEAR(nodes.x()[j], clients.x()[j], testing::wide ? 1e-13 : 2e-6);
    }
    EXPECT_EQ(nodes.parts.sigma, clients.parts.sigma);
    EXPECT_EQ(nodes.noted().count("bits_up_payload"), clients.noted().count("bits_up_payload"));
  }
}

TEST(Gossip, BitsOfNodesAndEdges) {
  Federation nodes(tiny_experiment, with({"graph.kind=star", "wire.value=float32"}));
  nodes.run(3);
  const std::uint64_t message = 32 * nodes.x().size();
  EXPECT_EQ(nodes.noted().count("messages"), 12U);
  EXPECT_EQ(nodes.noted().count("bits_up_model"), 12 * message);
  EXPECT_EQ(nodes.noted().count("bits_up_payload"), 12 * message);
  EXPECT_EQ(nodes.noted().count("bits_edges_payload"), 18 * message);
  EXPECT_EQ(nodes.noted().count("bits_edges_model"), 18 * message);
  EXPECT_EQ(nodes.noted().count("bits_neighbours"), 0U);
}

// The claim is that of ldp-sgd: neither the graph nor the number of nodes changes it.
TEST(Gossip, TheClaimIsThatOfEveryNodeAlone) {
  const auto claim_of = [](const std::vector<std::string>& keys) {
    std::vector<std::string> all = keys;
    all.emplace_back("privacy.delta=1e-3");
    const Plan plan = read_plan(Settings::from_text(tiny_experiment, "tiny.toml", all));
    return make_claim(plan, 0.05, 15, 0).record.epsilon;
  };
  const double reference = claim_of({"method=ldp-sgd"});
  EXPECT_TRUE(std::isfinite(reference));
  for (const char* kind : {"ring", "complete", "star"})
    EXPECT_EQ(claim_of({"method=dsgd", std::string("graph.kind=") + kind}), reference);
  EXPECT_EQ(claim_of({"method=dsgd", "clients=3"}), reference);
  for (const char* method : {"choco-sgd", "d2", "deepsqueeze", "gradient-tracking", "porter-dp",
                             "motef", "sdm-dsgd", "q-dpsgd-1"})
    EXPECT_EQ(claim_of({std::string("method=") + method}), reference) << method;
  EXPECT_EQ(claim_of({"method=ldp-sgd", "bound.kind=smooth-clip-record"}), reference);
}

// T Gaussians with noise multiplier z = sigma b / G at rate b / m, not 2 T: the differences of
// noisy gradients take the old noise away.
TEST(Gossip, PorterComposesOneGaussianARound) {
  struct Known {
    double z, epsilon;
    const char *batch, *rounds;
    std::size_t records;
  };
  for (const auto& [z, epsilon, batch, rounds, records] :
       {Known{2.475271, 1, "100", "400", 3256}, Known{0.895442, 5, "100", "400", 3256},
        Known{20, 1.993091, "15", "100", 15}}) {
    const Plan plan = read_plan(Settings::from_text(
        tiny_experiment, "tiny.toml",
        {"method=porter-dp", fmt::format("local.batch={}", batch), fmt::format("rounds={}", rounds),
         fmt::format("data.rows={}", 4 * records), "privacy.delta=1e-5"}));
    const double sigma = z * 0.5 / static_cast<double>(plan.batch);
    EXPECT_NEAR(make_claim(plan, sigma, records, 0).record.epsilon, epsilon, 5e-6 * epsilon) << z;
  }
}

TEST(Gossip, TwoChannelsAreTwoMessages) {
  Federation nodes(tiny_experiment, {"method=porter-dp", "graph.kind=star", "wire.value=float32"});
  nodes.run(3);
  const std::uint64_t message = 32 * 4;  // rand-k with k = 4 and keyed masks
  EXPECT_EQ(nodes.noted().count("messages"), 24U);
  EXPECT_EQ(nodes.noted().count("bits_up_payload"), 24 * message);
  EXPECT_EQ(nodes.noted().count("bits_edges_payload"), 36 * message);
}

TEST(Gossip, D2NeedsEigenvaluesAboveAThird) {
  const auto plan = [](std::vector<std::string> keys) {
    keys.insert(keys.begin(), "method=d2");
    return read_plan(Settings::from_text(tiny_experiment, "tiny.toml", keys));
  };
  testing::expect_parts(testing::refusal([&] { plan({"gossip.consensus=1"}); }),
                        {"graph.weights", "-0.333333", "choose lazy"});
  EXPECT_EQ(plan({"gossip.consensus=1", "graph.weights=lazy"}).clients, 4);
  EXPECT_EQ(plan({"gossip.consensus=1", "graph.kind=complete"}).clients, 4);
  EXPECT_EQ(plan({"gossip.consensus=0.99"}).clients, 4);
}

TEST(Gossip, MethodsWithoutNoiseHaveNoClaim) {
  for (const char* method : {"beer", "porter-gc"})
    testing::expect_parts(
        testing::refusal([&] {
          read_plan(Settings::from_text("", "none.toml",
                                        {std::string("method=") + method, "privacy.sigma=1"}));
        }),
        {"privacy.sigma", "choose method = porter-dp"});
}

// choco-sgd sends later what compression loses; sdm-dsgd would lose it.
TEST(Gossip, BiasedCompressorsNeedAMethodThatCompensates) {
  const auto read = [](const char* method) {
    return read_plan(
        Settings::from_text(tiny_experiment, "tiny.toml", {method, "compressor.kind=top-k"}));
  };
  for (const char* method : {"choco-sgd", "deepsqueeze", "beer", "porter-dp", "porter-gc", "motef"})
    EXPECT_EQ(read((std::string("method=") + method).c_str()).compressor_kind, "top-k");
  testing::expect_parts(testing::refusal([&] { read("method=sdm-dsgd"); }),
                        {"top-k is biased", "choose an unbiased compressor"});
}

// Sums of copies follow the messages, whatever a compressor draws and however long messages are;
// where they did not, 200 rounds would diverge.
TEST(Gossip, CompressedMessagesLowerTheObjective) {
  for (const char* method : {"choco-sgd", "porter-dp"})
    for (const char* kind : {"rand-k", "top-k", "bernoulli", "qsgd"}) {
      Federation nodes(tiny_experiment,
                       {std::string("method=") + method, std::string("compressor.kind=") + kind,
                        "gossip.consensus=0.3", "gossip.rate=0.05", "privacy.sigma=0"});
      nodes.run(200);
      const Metrics metrics = nodes.evaluate();
      EXPECT_LT(metrics.objective, 0.69) << method << ' ' << kind;
      EXPECT_TRUE(std::isfinite(metrics.gradient_norm_squared)) << method << ' ' << kind;
    }
}

TEST(Gossip, WhatNeedsAServerIsRefused) {
  const auto refused = [](std::vector<std::string> keys, const std::vector<std::string>& parts) {
    testing::expect_parts(
        testing::refusal([&] {
          read_plan(Settings::from_text(tiny_experiment, "tiny.toml", with(std::move(keys))));
        }),
        parts);
  };
  refused({"participation.kind=poisson"}, {"participation.kind", "every node", "choose full"});
  refused({"participation.kind=fixed-size"}, {"participation.kind", "every node"});
  refused({"memory.kind=error-feedback"}, {"memory.kind", "choose none"});
  refused({"server_hosts=false"}, {"server_hosts", "rank 0 hosts nodes"});
  refused({"clients=1"}, {"clients", "at least 2 nodes"});
  refused({"server.weights=records"}, {"server.weights"});
  refused({"privacy.view=V_aggregate", "bound.kind=clip-client"}, {"privacy.view", "V_server"});
  refused({"privacy.noise_at=server", "bound.kind=clip-client"}, {"noise_at", "no server"});
  refused({"compressor.rotate=true", "bound.kind=clip-client"}, {"compressor.rotate", "averag"});
  refused({"exchange.up=reduce"}, {"exchange.up"});
  refused({"graph.kind=torus"}, {"4 nodes"});
}

}  // namespace
}  // namespace trilemma::gossip_test
