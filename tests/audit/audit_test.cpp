// Audits of claims (src/audit): the statistic by hand, thresholds and
// guesses, the canaries on the wire, and claims that are false on purpose.

#include "audit/audit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/audit_plan.hpp"
#include "audit/report.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::audit_test {

constexpr const char* experiment = R"(
name = "audit"
method = "soteriafl-gd"
rounds = 3
clients = 2
[data]
rows = 20
features = 6
nonzeros = 2
[local]
batch = 10
[bound]
threshold = 0.5
[privacy]
epsilon = 2.5
delta = 0.01
[compressor]
kind = "identity"
)";

AuditOptions options_of(const testing::TempFolder& folder, std::vector<std::string> overrides) {
  folder.write("e.toml", experiment);
  AuditOptions options;
  options.file = folder.at("e.toml");
  options.overrides = std::move(overrides);
  options.runs = 3000;
  return options;
}

AuditPlan plan_of(std::vector<std::string> overrides, std::optional<long> records = {}) {
  const testing::TempFolder folder;
  AuditOptions options = options_of(folder, std::move(overrides));
  options.records = records;
  return plan_audit(options);
}

Placement alone(const AuditPlan& audit) {
  return {.rank = 0, .size = 1, .clients = static_cast<int>(audit.clients), .server_hosts = true};
}

AuditResult audit_of(AuditPlan audit, long runs = 3000) {
  Ranks ranks(Placement{});
  audit.runs = runs;
  return run_audit(audit, alone(audit), ranks, true);
}

double normal(double y, double mean, double sigma) {
  return std::exp(-(y - mean) * (y - mean) / (2 * sigma * sigma));
}

TEST(Audit, StatisticByItsDefinition) {
  for (const double rate : {0.3, 1.0})
    for (const bool opposite : {false, true})
      for (const double y : {-3.0, -0.2, 0.0, 0.4, 2.5}) {
        const Signal signal{0.4, rate, 0.7, opposite, ""};
        auto mixture = [&](double s) {
          return (1 - rate) * normal(y, 0, 0.7) + rate * normal(y, s, 0.7);
        };
        EXPECT_NEAR(log_likelihood_ratio(signal, y),
                    std::log(mixture(0.4) / (opposite ? mixture(-0.4) : normal(y, 0, 0.7))), 1e-12);
      }
  EXPECT_TRUE(std::isfinite(log_likelihood_ratio({1, 0.5, 1e-3, false, ""}, 1e3)));
}

TEST(Audit, SignsThatFlipAndMessagesThatAreBounded) {
  for (const double flips : {0.0, 0.2, 0.5})
    for (const double y : {-1.0, 0.0, 0.3}) {
      const Signal signal{0.4, 0.3, 0.7, true, "", flips};
      auto mixture = [&](double s) {
        return 0.7 * normal(y, 0, 0.7) +
               0.3 * ((1 - flips) * normal(y, s, 0.7) + flips * normal(y, -s, 0.7));
      };
      EXPECT_NEAR(log_likelihood_ratio(signal, y), std::log(mixture(0.4) / mixture(-0.4)), 1e-12);
    }
  const Signal bounded{1, 1, 1, true, "", 0, 1.5};  // 2 y, at most 1.5
  EXPECT_NEAR(log_likelihood_ratio(bounded, 0.5), 1, 1e-12);
  EXPECT_EQ(log_likelihood_ratio(bounded, 2), 1.5);
  EXPECT_EQ(log_likelihood_ratio(bounded, -2), -1.5);
}

TEST(Audit, ThresholdComesFromTheFirstThird) {
  std::vector<double> absent(30), present(30);
  for (std::size_t i = 0; i < 30; ++i) {
    absent[i] = i < 10 ? 0.0 : 5.0;
    present[i] = i < 10 ? 1.0 : (i == 20 ? -1.0 : 5.0);
  }
  const Attack found = attack(absent, present, 0.95, [](const accounting::ErrorLimits& limits) {
    return 2 - limits.false_positive - limits.false_negative;
  });
  EXPECT_EQ(found.threshold, 0.0);
  EXPECT_EQ(found.absent_runs, 20);
  EXPECT_EQ(found.false_positives, 20);
  EXPECT_EQ(found.false_negatives, 1);
}

TEST(Audit, GuessesTheExtremes) {
  std::vector<double> score(40);
  std::vector<bool> included(40);
  for (std::size_t i = 0; i < 40; ++i) {
    score[i] = static_cast<double>(i);
    included[i] = i >= 20;
  }
  included[39] = false;
  const auto found = guess(score, included);  // 0, 1 are said to be absent; 38, 39 present
  EXPECT_EQ(found.canaries, 40);
  EXPECT_EQ(found.guesses, 4);
  EXPECT_EQ(found.correct, 3);
}

// Without noise a projection is what the record adds: its clipped gradient over the divisor.
TEST(Audit, ProjectionsAreWhatTheRecordAdds) {
  for (const char* method : {"soteriafl-gd", "soteriafl-sgd", "soteriafl-svrg", "soteriafl-saga"}) {
    AuditPlan audit = plan_of(
        {std::string("method=") + method, "compressor.kind=rand-k", "compressor.k=4", "rounds=40"});
    audit.plan.privacy.sigma = 0;
    Ranks ranks(Placement{});
    AuditRunner runner(audit, alone(audit), ranks);
    const Canary place = canary(audit, 0);
    const auto seen = runner.run(repeated_canary(audit, World::present), 7, {&place, 1});
    ASSERT_EQ(seen.size(), 40U) << method;
    std::size_t sent = 0;
    for (const double y : seen) {
      if (std::isnan(y)) continue;
      ++sent;
      EXPECT_NEAR(y, 0.5 / 10, 1e-6) << method;
    }
    EXPECT_GT(sent, 10U) << method;
    EXPECT_LT(sent, 35U) << method;
    for (const double y : runner.run(repeated_canary(audit, World::absent), 7, {&place, 1}))
      EXPECT_TRUE(std::isnan(y) || std::abs(y) < 1e-9) << method;
  }
}

TEST(Audit, ShapeShrinksAtTheSameRateAndNoise) {
  const AuditPlan small = plan_of({"method=ldp-sgd", "data.rows=2000", "local.batch=100"}, 50);
  EXPECT_EQ(small.records, 50U);
  EXPECT_EQ(small.plan.batch, 5);
  const AuditPlan whole = plan_of({"method=ldp-sgd", "data.rows=2000", "local.batch=100"}, 1000);
  EXPECT_EQ(whole.records, 1000U);
  EXPECT_NEAR(small.sigma / whole.sigma, 20, 1e-9);
  EXPECT_NEAR(small.account.epsilon.value, whole.account.epsilon.value, 1e-9);
}

// A claim does not count on compression, so the attack is stronger where everything is sent.
TEST(Audit, EveryCoordinateIsSentUnlessTheCommandLineNamesACompressor) {
  const testing::TempFolder folder;
  AuditOptions options = options_of(folder, {});
  std::string text = experiment;
  text.replace(text.find("\"identity\""), 10, "\"rand-k\"\nk = 2");
  folder.write("e.toml", text);
  const AuditPlan dense = plan_audit(options);
  EXPECT_EQ(dense.plan.compressor->description(), "identity");
  EXPECT_TRUE(dense.is_denser);
  options.overrides = {"compressor.kind=rand-k"};
  const AuditPlan kept = plan_audit(options);
  EXPECT_EQ(kept.plan.compressor->layout().count, 5U);  // 2 of 7 are 5 of 16
  EXPECT_FALSE(kept.is_denser);
  EXPECT_EQ(kept.sigma, dense.sigma);
}

TEST(Audit, RecordsAreThoseOfTheSmallestClient) {
  EXPECT_EQ(plan_of({"data.rows=23"}).records, 11U);
  EXPECT_EQ(plan_of({"data.rows=20", "partition.held_out=0.3"}).records, 7U);
}

TEST(Audit, FewerRunsOfManyRounds) {
  const testing::TempFolder folder;
  const auto runs = [&folder](const char* rounds, std::optional<long> asked) {
    AuditOptions options = options_of(folder, {rounds});
    options.runs = asked;
    return plan_audit(options).runs;
  };
  EXPECT_EQ(runs("rounds=3", {}), 20'000);
  EXPECT_EQ(runs("rounds=500", {}), 4000);
  EXPECT_EQ(runs("rounds=500", 77), 77);
}

// A message whose values depend on the noise in a way that does not cancel.
class ToPowersOfTwo final : public Compressor {
 public:
  explicit ToPowersOfTwo(const Layout& layout) : layout_(layout) {}
  std::string label() const override { return "powers of two"; }
  std::string description() const override { return "powers of two"; }
  CompressorTraits traits() const override { return {false, 1, 2}; }
  Layout layout() const override { return layout_; }
  void compress(ConstView z, const Key&, Message& out) override {
    out.value.assign(z.begin(), z.end());
    for (auto& value : out.value)
      value = std::copysign(std::exp2(std::ceil(std::log2(std::abs(value)))), value);
  }
  SparseView expand(const Message& message) override { return {Support::all(), message.value}; }

 private:
  Layout layout_;
};

TEST(Audit, InfluenceIsNotMeasuredThroughCompressorsThatLookAtTheVector) {
  AuditPlan audit = plan_of({"method=cdp-sgd"});
  audit.plan.compressor = Choice<Compressor>([layout = audit.plan.compressor->layout()] {
    return std::make_unique<ToPowersOfTwo>(layout);
  });
  const AuditResult found = audit_of(audit, 300);
  EXPECT_EQ(found.influence.pairs, 0);
  EXPECT_FALSE(found.refuted);
}

TEST(Audit, SeedsDiffer) {
  EXPECT_NE(run_seed(1, SeedOf::absent, 0), run_seed(1, SeedOf::present, 0));
  EXPECT_NE(run_seed(1, SeedOf::absent, 0), run_seed(1, SeedOf::absent, 1));
  EXPECT_NE(run_seed(1, SeedOf::absent, 0), run_seed(2, SeedOf::absent, 0));
}

TEST(Audit, TrueClaimsStand) {
  for (const char* relation : {"add_remove", "replace_one"}) {
    AuditPlan audit = plan_of({std::string("privacy.relation=") + relation});
    const AuditResult found = audit_of(audit);
    EXPECT_FALSE(found.refuted);
    EXPECT_GT(found.epsilon, 0.5 * audit.account.epsilon.value);
    ASSERT_TRUE(found.gaussian);
    EXPECT_GT(found.epsilon_gaussian, 0.6 * audit.account.epsilon.value);
    EXPECT_LT(found.epsilon_gaussian, audit.account.epsilon.value);
    EXPECT_EQ(verdict_sentence(audit, found).find("claim not refuted:"), 0U);
  }
}

// The noise of half the size; the claim is that of the whole.
TEST(Audit, FalseClaimsFail) {
  const std::vector<std::string> poisson{"method=soteriafl-sgd", "local.batch=4"};
  for (const auto& overrides : {std::vector<std::string>{}, poisson}) {
    AuditPlan audit = plan_of(overrides);
    audit.plan.privacy.sigma = 0.5 * audit.sigma;
    const AuditResult found = audit_of(audit, 10'000);
    EXPECT_TRUE(found.refuted) << overrides.size();
    EXPECT_GT(found.epsilon_decisive, audit.account.epsilon.value);
    EXPECT_EQ(verdict_sentence(audit, found).find("claim fails: epsilon is at least"), 0U);
  }
}

// The published settings on a small scale: finished vectors are clipped, so that a record in the
// minibatch turns the whole of it.
TEST(Audit, NominalEpsilonIsTestedBesideTheAccounted) {
  AuditPlan audit = plan_of({"method=ldp-sgd", "data.rows=2000", "local.batch=50", "rounds=5",
                             "local.sampling=with-replacement", "bound.kind=clip-estimator",
                             "privacy.calibration=paper"});
  const AuditResult found = audit_of(audit);
  EXPECT_FALSE(found.refuted);
  EXPECT_EQ(audit.nominal, 2.5);
  EXPECT_STREQ(nominal_verdict(audit, found), "refuted");
  testing::expect_parts(nominal_sentence(audit, found),
                        {"the nominal epsilon 2.5 is refuted: epsilon is at least ",
                         " with confidence 1 - 1e-06 (by ", " at delta 0.01"});
  testing::expect_parts(verdict_sentence(audit, found), {"claim not refuted: epsilon "});

  AuditPlan enough = plan_of({"privacy.calibration=paper"});
  EXPECT_STREQ(nominal_verdict(enough, audit_of(enough, 300)), "not refuted");
  AuditPlan accounted = plan_of({});
  EXPECT_STREQ(nominal_verdict(accounted, found), "none");
  EXPECT_EQ(nominal_sentence(accounted, found), "");
}

TEST(Audit, NominalEpsilonIsInDoubtWithLessConfidence) {
  AuditPlan audit = plan_of({"privacy.calibration=paper"});
  AuditResult found;
  found.epsilon = 2.7;
  found.epsilon_decisive = 2.3;
  EXPECT_STREQ(nominal_verdict(audit, found), "in doubt");
  testing::expect_parts(nominal_sentence(audit, found),
                        {"the nominal epsilon 2.5 is in doubt: epsilon is at least 2.7 with "
                         "confidence 0.95",
                         "at least 2.3 with 1 - 1e-06"});
}

TEST(Audit, AnInfluenceAboveTheSensitivityFails) {
  AuditPlan audit = plan_of({});
  audit.releases.list.front().sensitivity.full *= 0.99;
  const AuditResult found = audit_of(audit, 30);
  EXPECT_TRUE(found.refuted);
  EXPECT_EQ(verdict_sentence(audit, found).find("claim fails: the record changed"), 0U);
}

TEST(Audit, RefusesWhatClaimsNothing) {
  testing::expect_parts(testing::refusal([] { plan_of({"method=gd"}); }), {"no claim to audit"});
}

}  // namespace trilemma::audit_test
