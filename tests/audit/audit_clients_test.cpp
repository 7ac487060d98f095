// Audits of whole clients (src/audit/clients.cpp, audit_run.hpp): what the adversary of
// each claim sees, and mechanisms that are broken on purpose.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "audit/audit_plan.hpp"
#include "audit/report.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::audit_clients_test {

constexpr const char* experiment = R"(
name = "clients"
method = "dp-fedavg-clip"
rounds = 6
clients = 10
[data]
rows = 40
features = 6
nonzeros = 2
[local]
steps = 3
[bound]
threshold = 0.5
[privacy]
epsilon = 2.5
delta = 0.01
)";

const std::vector<std::string> poisson{"participation.kind=poisson", "participation.rate=0.5"};
const std::vector<std::string> fixed_size{"participation.kind=fixed-size", "participation.size=5"};
const std::vector<std::string> own_noise{"privacy.noise_at=client", "privacy.relation=replace_one"};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

AuditPlan plan_of(const std::vector<std::string>& overrides, bool one_run = false,
                  long dimension = 16) {
  const testing::TempFolder folder;
  folder.write("e.toml", experiment);
  AuditOptions options;
  options.file = folder.at("e.toml");
  options.overrides = overrides;
  options.one_run = one_run;
  options.dimension = dimension;
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

std::vector<double> projections(const AuditPlan& audit, World world, std::uint64_t seed = 7) {
  Ranks ranks(Placement{});
  AuditRunner runner(audit, alone(audit), ranks);
  const Canary place = canary(audit, 0);
  return runner.run(repeated_canary(audit, world), seed, {&place, 1});
}

// Without noise a projection is the bound over the divisor where the client takes part, else 0.
TEST(AuditClients, AMeanShowsTheBoundOfAClientThatIsDrawn) {
  for (const char* method : {"dp-fedavg-clip", "dp-normfedavg", "dp-fedavg-smooth", "alpha-normec",
                             "fed-alpha-normec", "fed-alpha-normec-ig", "clip21", "pmtl", "pp-sgd",
                             "dp-scaffold", "naive-dp-mtl", "dp-decomfl"})
    for (const auto& draw : {std::vector<std::string>{}, poisson}) {
      AuditPlan audit = plan_of(joined({std::string("method=") + method, "rounds=40"}, draw));
      EXPECT_EQ(audit.tap, Tap::mean) << method;
      audit.plan.privacy.sigma = 0;
      const double size = 0.5 / (draw.empty() ? 2 : 4);
      EXPECT_NEAR(audit.signal.size, size, 1e-12) << method;
      std::size_t drawn = 0;
      const auto seen = projections(audit, World::present);
      ASSERT_EQ(seen.size(), 40U) << method;
      for (const double y : seen) {
        if (std::abs(y) < 1e-9) continue;
        ++drawn;
        EXPECT_NEAR(y, size, 2e-6) << method;
      }
      if (draw.empty())
        EXPECT_EQ(drawn, 40U) << method;
      else
        EXPECT_TRUE(drawn > 8 && drawn < 32) << method << ": " << drawn;
      for (const double y : projections(audit, World::absent)) EXPECT_NEAR(y, 0, 1e-7) << method;
    }
}

// Where the draw is secret the adversary knows it all the same, if the claim says so: it learns
// who was drawn, in the world without the client as well.
TEST(AuditClients, WhoKnowsASecretDrawKnowsWhoIsAway) {
  AuditPlan audit =
      plan_of(joined({"method=pmtl", "rounds=40", "privacy.rng=chacha20"}, fixed_size));
  EXPECT_EQ(audit.tap, Tap::mean);
  EXPECT_TRUE(audit.knows.draws);
  audit.plan.privacy.sigma = 0;
  for (const World world : {World::present, World::absent}) {
    std::size_t drawn = 0;
    for (const double y : projections(audit, world)) {
      if (std::isnan(y)) continue;
      ++drawn;
      // In the other world another client has taken its place.
      EXPECT_NEAR(y, world == World::present ? audit.signal.size : -audit.signal.size, 2e-6);
    }
    EXPECT_TRUE(drawn > 8 && drawn < 32) << drawn;
  }
}

// A replaced client turns round; who sees messages sees when it is away.
TEST(AuditClients, MessagesShowTheBoundAndWhoIsAway) {
  for (const char* method :
       {"dp-fedavg-clip", "fed-alpha-normec", "pmtl", "dp-scaffold", "dp-decomfl"}) {
    AuditPlan audit =
        plan_of(joined(joined({std::string("method=") + method, "rounds=40"}, poisson), own_noise));
    EXPECT_EQ(audit.tap, Tap::message);
    audit.plan.privacy.sigma = 0;
    const auto present = projections(audit, World::present);
    const auto absent = projections(audit, World::absent);
    ASSERT_EQ(present.size(), 40U);
    std::size_t away = 0;
    for (std::size_t t = 0; t < 40; ++t) {
      EXPECT_EQ(std::isnan(present[t]), std::isnan(absent[t])) << method;
      away += std::isnan(present[t]) ? 1U : 0U;
      if (std::isnan(present[t])) continue;
      EXPECT_NEAR(present[t], 0.5, 1e-5) << method;
      EXPECT_NEAR(absent[t], -0.5, 1e-5) << method;
    }
    EXPECT_TRUE(away > 8 && away < 32) << away;
  }
}

TEST(AuditClients, ASumHasTheNoiseOfAll) {
  AuditPlan audit = plan_of({"privacy.noise_at=client", "privacy.view=V_aggregate"});
  EXPECT_EQ(audit.tap, Tap::sum);
  EXPECT_NEAR(audit.signal.size, 0.5 / std::sqrt(2.0), 1e-12);
  double squares = 0;
  constexpr std::uint64_t runs = 500;
  for (std::uint64_t seed = 0; seed < runs; ++seed)
    for (const double y : projections(audit, World::absent, seed)) squares += y * y;
  EXPECT_NEAR(std::sqrt(squares / (6 * runs)) / audit.sigma, 1, 0.06);
}

// Where all others conspire a draw of fixed size hides nothing from them.
TEST(AuditClients, OthersKnowDrawsOfFixedSize) {
  const AuditPlan known = plan_of(joined({"method=pmtl"}, fixed_size));
  EXPECT_TRUE(known.knows.draws && known.knows.others);
  EXPECT_EQ(known.signal.rate, 1);
  const AuditPlan hidden = plan_of(fixed_size);
  EXPECT_FALSE(hidden.knows.draws || hidden.knows.others);
  EXPECT_EQ(hidden.signal.rate, 0.5);
  const AuditPlan coins = plan_of(joined({"method=pmtl"}, poisson));
  EXPECT_TRUE(!coins.knows.draws && coins.knows.others);
}

TEST(AuditClients, FewClientsAreDrawnAtTheSameRate) {
  const AuditPlan coins =
      plan_of({"clients=40", "participation.kind=poisson", "participation.rate=0.2"});
  EXPECT_EQ(coins.clients, 20U);
  EXPECT_EQ(coins.plan.schedule->expected(), 4);
  EXPECT_EQ(
      plan_of({"clients=40", "participation.kind=poisson", "rounds=400", "participation.rate=0.2"})
          .runs,
      2500);
  const AuditPlan fixed =
      plan_of({"clients=40", "participation.kind=fixed-size", "participation.size=16"});
  EXPECT_EQ(fixed.clients, 5U);
  EXPECT_EQ(fixed.plan.schedule->expected(), 2);
  EXPECT_EQ(fixed.signal.rate, 0.4);
  EXPECT_NEAR(fixed.account.epsilon.value, 2.5, 1e-3);
}

// Noise for whole vectors is spread thin; the epsilon accounted here is that of a coordinate.
TEST(AuditClients, NoiseOfAWholeVectorIsThatOfTheExperimentsCoordinates) {
  const AuditPlan thin = plan_of({"privacy.calibration=paper", "privacy.noise_mode=total_norm"});
  const AuditPlan full = plan_of({"privacy.calibration=paper"});
  EXPECT_NEAR(full.sigma / thin.sigma, std::sqrt(7.0), 1e-9);  // six features and a bias
  EXPECT_EQ(*thin.plan.privacy.sigma, thin.sigma);
  EXPECT_FALSE(thin.plan.privacy.total_norm);
}

TEST(AuditClients, TrueClaimsStand) {
  const std::vector<std::vector<std::string>> claims{
      {},
      poisson,
      fixed_size,
      own_noise,
      {"privacy.relation=replace_one"},
      joined({"method=pmtl"}, poisson),
      joined({"method=pmtl"}, fixed_size),
      joined({"method=fed-alpha-normec"}, poisson),
      joined({"method=dp-scaffold"}, fixed_size),
      {"method=pmtl", "privacy.noise_at=client", "privacy.view=V_aggregate",
       "privacy.relation=replace_one"},
      {"privacy.noise_at=client", "privacy.view=V_aggregate"},
      joined({"compressor.kind=rand-k", "compressor.k=4"}, poisson),
      joined({"privacy.rng=chacha20"}, poisson)};
  for (const auto& claim : claims) {
    AuditPlan audit = plan_of(claim);
    const AuditResult found = audit_of(audit, 600);
    EXPECT_FALSE(found.refuted) << verdict_sentence(audit, found);
    EXPECT_LE(found.influence.observed, found.influence.declared + found.influence.rounding);
    EXPECT_EQ(found.gaussian.has_value(), audit.plan.schedule->draw() == Draw::everyone);
  }
  AuditPlan tight = plan_of({});
  const AuditResult found = audit_of(tight);
  EXPECT_GT(found.epsilon, 0.5 * tight.account.epsilon.value);
  EXPECT_GT(found.epsilon_gaussian, 0.7 * tight.account.epsilon.value);
  EXPECT_LT(found.epsilon_gaussian, tight.account.epsilon.value);
}

TEST(AuditClients, HalfTheNoiseFails) {
  for (const auto& claim :
       {std::vector<std::string>{}, poisson, own_noise, joined({"method=pmtl"}, fixed_size)}) {
    AuditPlan audit = plan_of(claim);
    audit.plan.privacy.sigma = 0.5 * audit.sigma;
    EXPECT_TRUE(audit_of(audit, 10'000).refuted) << claim.size();
  }
}

const std::vector<std::string> masked{"joint.kind=ddgauss", "secagg.kind=masks",
                                      "secagg.corrupt=0.1"};

TEST(AuditClients, ClaimsOnSumsOfWordsStand) {
  for (const auto& claim : {std::vector<std::string>{"joint.kind=skellam"},
                            {"joint.kind=ddgauss", "joint.bits=10"},
                            masked,
                            joined(masked, {"privacy.relation=replace_one"})}) {
    AuditPlan audit = plan_of(claim);
    EXPECT_EQ(audit.tap, Tap::sum);
    const AuditResult found = audit_of(audit, 2000);
    EXPECT_FALSE(found.refuted) << verdict_sentence(audit, found);
    EXPECT_LE(found.influence.observed, found.influence.declared + found.influence.rounding);
    EXPECT_GT(found.epsilon_gaussian, 0.7 * audit.account.epsilon.value);
    EXPECT_LT(found.epsilon_gaussian, audit.account.epsilon.value);
  }
}

TEST(AuditClients, NoiseOfWordsForAnotherEpsilonFails) {
  AuditPlan audit = plan_of({"joint.kind=skellam"});
  audit.plan.privacy.epsilon = 6;
  EXPECT_TRUE(audit_of(audit, 10'000).refuted);
}

// What an audit looks at, and the share of epsilon = 3 that it finds at least. Of the coordinates
// that clients of sqkr draw themselves, few give away much, and those of pbm are clipped.
struct JointRow {
  const char* name;
  std::vector<std::string> settings;
  Tap tap;
  double found;
  long runs = 1500;
};

const std::vector<JointRow>& joint_rows() {
  const std::string shuffled = "privacy.view=V_shuffled";
  static const std::vector<JointRow> rows{
      {"privunit", {"joint.kind=privunit"}, Tap::message, 0.6},
      {"sqkr", {"joint.kind=sqkr", "joint.bits=1"}, Tap::message, 0.4},
      {"pbm", {"joint.kind=pbm", "joint.range=1"}, Tap::sum, 0.1},
      {"layered", {"joint.kind=layered"}, Tap::sum, 0.5},
      {"csgm", {"joint.kind=csgm", "joint.rate=0.5", "joint.range=1"}, Tap::mean, 0.4},
      {"blocks", {"joint.kind=blocks", "joint.rate=0.5", "joint.block=2"}, Tap::mean, 0.2},
      {"privunit, shuffled", {"joint.kind=privunit", shuffled, "clients=4"}, Tap::shuffled, 0.3},
      {"sqkr, shuffled",
       {"joint.kind=sqkr", "joint.bits=1", shuffled, "clients=2", "privacy.delta=1e-4"},
       Tap::shuffled,
       0.1,
       4000}};
  return rows;
}

AuditPlan joint_plan(const JointRow& row, const char* epsilon) {
  return plan_of(joined({"rounds=1", std::string("privacy.epsilon=") + epsilon,
                         "privacy.relation=replace_one"},
                        row.settings),
                 false, 4);
}

TEST(AuditClients, ClaimsOfJointMechanismsStand) {
  for (const JointRow& row : joint_rows()) {
    const AuditPlan audit = joint_plan(row, "3");
    EXPECT_EQ(audit.tap, row.tap) << row.name;
    const double claim = audit.account.epsilon.value;
    EXPECT_NEAR(claim, 3, 0.05) << row.name;
    const AuditResult found = audit_of(audit, row.runs);
    EXPECT_FALSE(found.refuted) << row.name << ": " << verdict_sentence(audit, found);
    EXPECT_GT(found.epsilon, row.found * claim) << row.name;
    EXPECT_LT(found.epsilon, claim) << row.name;
    EXPECT_EQ(found.gaussian.has_value(), audit.tap == Tap::sum) << row.name;
  }
}

// Messages for twelve times the epsilon, and a quarter of the noise.
TEST(AuditClients, WrongParametersOfJointMechanismsFail) {
  for (const JointRow& row : joint_rows()) {
    AuditPlan audit = joint_plan(row, "1");
    if (audit.plan.joint.local || audit.plan.joint.trials)
      audit.plan.privacy.epsilon = 12;
    else
      audit.plan.privacy.sigma = 0.25 * audit.sigma;
    const AuditResult found = audit_of(audit, row.runs);
    EXPECT_TRUE(found.refuted) << row.name << ": " << found.epsilon_decisive;
  }
}

// Every joint mechanism has its row here, or is a sum of words (above).
TEST(AuditClients, EveryJointMechanismIsAudited) {
  std::set<std::string> audited{"none", "ddgauss", "skellam"};
  for (const JointRow& row : joint_rows())
    audited.insert(row.settings.front().substr(std::string("joint.kind=").size()));
  for (const auto& row : joints()) EXPECT_TRUE(audited.contains(row.name)) << row.name;
}

// A bound that promises what it does not do.
class NotBounding final : public Bound {
 public:
  std::string description() const override { return "none"; }
  double threshold() const override { return 0.5; }
  Bounds what() const override { return Bounds::client; }
};

TEST(AuditClients, AMissingClipFails) {
  for (const char* method : {"dp-fedavg-clip", "fed-alpha-normec", "pmtl"}) {
    AuditPlan audit = plan_of(joined({std::string("method=") + method}, poisson));
    audit.plan.bound = std::make_shared<NotBounding>();
    const AuditResult found = audit_of(audit, 300);
    EXPECT_TRUE(found.influence.exceeds()) << method;
    testing::expect_parts(verdict_sentence(audit, found), {"claim fails: "});
  }
}

TEST(AuditClients, ADroppedFactorTwoFails) {
  AuditPlan audit = plan_of({"privacy.relation=replace_one"});
  Releases wrong = audit.releases;
  wrong.relation = accounting::Relation::add_remove;
  audit.account = account(wrong, audit.sigma, audit.delta);
  EXPECT_TRUE(audit_of(audit, 10'000).refuted);
}

// Divides by two where four take part on average.
class ShortSchedule final : public Schedule {
 public:
  explicit ShortSchedule(std::unique_ptr<Schedule> schedule) : schedule_(std::move(schedule)) {}
  void participants(std::uint32_t round, std::vector<std::uint32_t>& clients,
                    const Secret* secret) override {
    schedule_->participants(round, clients, secret);
  }
  double expected() const override { return 2; }
  Draw draw() const override { return schedule_->draw(); }

 private:
  std::unique_ptr<Schedule> schedule_;
};

TEST(AuditClients, AnotherDivisorFails) {
  AuditPlan audit = plan_of(poisson);
  audit.plan = audit.plan.with(
      {.schedule = [choose = audit.plan.make_schedule](std::uint64_t seed, std::uint32_t clients) {
        return std::make_unique<ShortSchedule>(choose(seed, clients));
      }});
  const AuditResult found = audit_of(audit, 300);
  testing::expect_parts(verdict_sentence(audit, found),
                        {"claim fails: the client changed the released vector by 0.25"});
}

TEST(AuditClients, RefusesInOneSentence) {
  testing::expect_parts(testing::refusal([] {
                          plan_of({"method=pmtl", "privacy.noise_at=client"});
                        }),
                        {"sends something even without data", "privacy.relation"});
  testing::expect_parts(testing::refusal([] { plan_of({}, true); }),
                        {"protects whole clients", "leave --one-run out"});
  testing::expect_parts(
      testing::refusal([] {
        plan_of(joined({"privacy.relation=add_remove", "privacy.sigma=1"}, fixed_size));
      }),
      {"no epsilon is claimed, so there is nothing to audit",
       "a fixed number of participants (fixed-size)", "privacy.relation = replace_one"});
  testing::expect_parts(testing::refusal([] { plan_of({"method=fedavg"}); }),
                        {"no claim to audit"});
}

}  // namespace trilemma::audit_clients_test
