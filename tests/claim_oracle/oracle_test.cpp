// The oracle on experiments whose answer is known (spec privacy.md 2.1 to 2.5, 3.10).

#include "tests/claim_oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trilemma::claims::oracle_test {

const Machine perfect{
    .noise_cut = 40, .public_participants = false, .regulariser_before_noise = false};

/// A trusted server's noise of multiplier z on a sum over the expected participants, C = 1.
Facts at_server(const std::string& method, double z, long rounds, double delta) {
  Facts f;
  f.method = method;
  f.relation = "zero_out";
  f.view = "V_aggregate";
  f.noise_at = "server";
  f.participation = "full";
  f.bound = "clip-client";
  f.clients = 100;
  f.rounds = rounds;
  f.delta = delta;
  f.sigma = z / 100;
  return f;
}

Facts with_share(Facts f, const std::string& kind, double share) {
  const double z = f.sigma * f.expected();
  f.participation = kind;
  f.rate = share;
  f.size = std::lround(share * static_cast<double>(f.clients));
  f.sigma = z / f.expected();
  return f;
}

Facts seen_by(Facts f, const std::string& view) {
  f.view = view;
  return f;
}
Facts replaced(Facts f) {
  f.relation = "replace_one";
  return f;
}

double least(const Facts& f, const Machine& how = perfect) {
  return least_epsilon(attacks(f, how, f.rounds), f.delta);
}
void expect_about(double found, double tight, double part = 0.01) {
  EXPECT_NEAR(found / tight, 1, part);
}

TEST(ClaimOracle, ClosedFormOfNormUnderstatesEpsilon) {
  const auto z = [](double share, double rounds, double delta, double nominal) {
    return share * std::sqrt(rounds * std::log(1 / delta)) / nominal;
  };
  const std::string method = "dp-fedavg-clip";
  expect_about(least(at_server(method, z(1, 500, 1e-6, 5), 500, 1e-6)), 6.873);
  for (const auto& [nominal, accounted] : {std::pair{1, 1.125}, {5, 7.8}, {8, 15.787}})
    expect_about(
        least(with_share(at_server(method, z(0.2, 200, 1e-5, nominal), 200, 1e-5), "poisson", 0.2)),
        accounted);
}

TEST(ClaimOracle, ReplacingAClientMovesTwice) {
  struct Row {
    double nominal, rounds, delta, replaced, removed;
  };
  for (const Row& row : {Row{0.1, 100, 1e-3, 0.0235, 0.0083},
                         {1, 200, 1e-5, 0.52, 0.244},
                         {2, 500, 1e-5, 1.11, 0.52},
                         {8, 500, 1e-5, 5.302, 2.397}}) {
    const double z = 4 * std::sqrt(row.rounds * std::log(1 / row.delta)) / row.nominal;
    const Facts f = at_server("pmtl", z, std::lround(row.rounds), row.delta);
    expect_about(least(f), row.removed);
    expect_about(least(replaced(f)), row.replaced);
  }
}

TEST(ClaimOracle, OthersKnowWhoIsLeftOfAFixedSize) {
  const Facts f = with_share(at_server("pmtl", 2, 100, 1e-5), "fixed-size", 0.01);
  expect_about(least(replaced(seen_by(f, "V_others"))), 8.62, 2e-3);
  // A coin of the client's own hides it from them.
  const Facts coin = with_share(at_server("pmtl", 1, 100, 1e-5), "poisson", 0.01);
  EXPECT_LT(least(seen_by(coin, "V_others")), 1);
}

TEST(ClaimOracle, StateThatMovesWithFixedDrawsHasNoTheorem) {
  const auto f = [](const char* method) {
    return replaced(with_share(at_server(method, 2, 100, 1e-5), "fixed-size", 0.01));
  };
  const auto found = [&](const char* method, double epsilon) {
    const Attack* attack = refutes(attacks(f(method), perfect, 100), epsilon, 1e-5);
    return attack == nullptr ? "" : attack->by_rule ? "rule" : "attack";
  };
  EXPECT_STREQ(found("dp-fedavg-clip", 3), "");
  for (const char* method : {"pmtl", "pp-sgd", "dp-scaffold"}) {
    EXPECT_STREQ(found(method, 8.6), "rule");
    EXPECT_STREQ(found(method, 8.64), "");
  }
}

TEST(ClaimOracle, PublicSeedsTellWhoTakesPart) {
  Machine seeds = perfect;
  seeds.public_participants = true;
  Facts f = with_share(at_server("dp-fedavg-clip", 1, 100, 1e-5), "poisson", 0.01);
  const double hidden = least(f, seeds);
  f.rng = "chacha20";
  expect_about(least(f, seeds), 8.62, 2e-3);
  EXPECT_DOUBLE_EQ(least(f), hidden);
}

TEST(ClaimOracle, NoiseOfClients) {
  Facts f = at_server("fed-alpha-normec", 1, 301, 1e-5);
  f.noise_at = "client";
  f.bound = "smooth-normalise-client";
  f.clients = 20;
  f.sigma = 7.358;
  expect_about(least(f), 2.12);  // the noises of all twenty add up
  expect_about(least(seen_by(f, "V_server")), 12.27);
  f.method = "naive-dp-mtl";  // but not in blocks of their own
  expect_about(least(f), 12.27);
  f = with_share(seen_by(f, "V_server"), "poisson", 0.5);
  f.sigma = 3.679;
  // Some take part more often than on average (19.1), none always (30.5).
  EXPECT_GT(least(f), 19.1);
  EXPECT_LT(least(f), 30.5);
}

/// A client's own noise on its minibatch gradients, G = 1.
Facts record(const std::string& method, long batch, long records, double sigma) {
  Facts f;
  f.method = method;
  f.relation = "zero_out";
  f.view = "V_server";
  f.noise_at = "client";
  f.participation = "full";
  f.bound = "clip-record";
  f.sampling = "poisson";
  f.batch = batch;
  f.least = f.most = records;
  f.sigma = sigma;
  f.rounds = 25;
  f.delta = 1e-5;
  return f;
}

TEST(ClaimOracle, Records) {
  Facts f = record("ldp-sgd", 10, 10, 0.01398);
  f.delta = 1e-3;
  expect_about(least(f), 750);  // 2.5, the row of nominal epsilon 1 without amplification
  expect_about(least(replaced(f)), 2779);
  f.least = 3256;
  EXPECT_LT(least(f), 59);
  EXPECT_GT(least(f), 20);
  // A gradient of all records moves by G/m.
  expect_about(least(record("soteriafl-gd", 10, 50, 0.1)), least(record("ldp-sgd", 50, 50, 0.1)));
}

TEST(ClaimOracle, BothPartsOfAVarianceReducedEstimate) {
  // The mean of all records alone: G/m a round, however small the minibatch.
  const Facts f = record("ldp-svrg", 1, 100, 0.05);
  const double full = least(record("soteriafl-gd", 1, 100, 0.05));
  EXPECT_GE(least(f), full * 0.999);
  // The minibatch's part is twice that of SGD.
  const Facts wide = record("ldp-svrg", 100, 1000, 0.02);
  EXPECT_GT(least(wide), 1.5 * least(record("ldp-sgd", 100, 1000, 0.02)));
  EXPECT_GE(least(replaced(wide)), least(wide));
}

TEST(ClaimOracle, MasksHideCoordinatesOnly) {
  Facts f = record("cdp-sgd", 50, 50, 0.1);
  const double whole = least(f);
  f.gain = 4;
  EXPECT_LT(least(f), whole);
  EXPECT_GT(least(f), whole / 4);
  // With noise at the server the gain d/k comes before it.
  Facts server = at_server("dp-fedavg-clip", 20, 50, 1e-5);
  const double plain = least(server);
  server.gain = 4;
  EXPECT_GT(least(server), plain);
}

TEST(ClaimOracle, TailsThatAreCutOffBreakSmallDeltas) {
  Machine cut = perfect;
  cut.noise_cut = radius_of_bits(32);
  Facts f = record("ldp-sgd", 200, 200, 1 / (200 * 1.349));
  f.rounds = 1;
  f.delta = 1e-12;
  EXPECT_LE(least(f), 10.1);
  EXPECT_EQ(least(f, cut), 1e300);
  f.delta = 1e-7;
  EXPECT_LT(least(f, cut), 10);
  cut.noise_cut = radius_of_bits(64);
  f.delta = 1e-12;
  EXPECT_LE(least(f, cut), 10.1);
}

TEST(ClaimOracle, RoundedValuesMoveByAnUlp) {
  Machine before = perfect;
  before.regulariser_before_noise = true;
  Facts f = record("ldp-sgd", 50, 50, 1);
  f.regulariser = 6e16;
  EXPECT_GT(least(f, before), 10 * least(f));
  EXPECT_DOUBLE_EQ(least(f, perfect), least(record("ldp-sgd", 50, 50, 1)));
}

TEST(ClaimOracle, RefusesWhatNoEpsilonCanMend) {
  const Facts good = record("ldp-sgd", 10, 100, 1);
  EXPECT_EQ(refusal(good), "");
  const auto refused = [&](auto change) {
    Facts f = good;
    change(f);
    return !refusal(f).empty();
  };
  EXPECT_TRUE(refused([](Facts& f) { f.bound = "clip-estimator"; }));
  EXPECT_TRUE(refused([](Facts& f) { f.sigma = 0; }));
  EXPECT_TRUE(refused([](Facts& f) { f.delta = 0; }));
  EXPECT_TRUE(refused([](Facts& f) { f.noise_mode = "total_norm"; }));
  EXPECT_TRUE(refused([](Facts& f) { f.noise_at = "server"; }));
  // delta m of the largest client, not of the smallest.
  EXPECT_TRUE(refused([](Facts& f) { f.delta = 0.005, f.most = 200; }));
  EXPECT_FALSE(refused([](Facts& f) { f.delta = 0.005, f.most = 199; }));
  EXPECT_TRUE(refused([](Facts& f) { f.bound = "clip-client", f.relation = "add_remove"; }));
}

}  // namespace trilemma::claims::oracle_test
