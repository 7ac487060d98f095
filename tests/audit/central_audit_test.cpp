// Audits of central methods, of SPIDER and of a random last round.

#include <gtest/gtest.h>

#include <cmath>

#include "audit/audit.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temp.hpp"

namespace trilemma::central_audit_test {

constexpr const char* experiment = R"(
name = "audit"
rounds = 6
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
)";

AuditPlan plan_of(std::vector<std::string> overrides) {
  const testing::TempFolder folder;
  folder.write("e.toml", experiment);
  AuditOptions options;
  options.file = folder.at("e.toml");
  options.overrides = std::move(overrides);
  return plan_audit(options);
}

AuditResult audit_of(AuditPlan audit, long runs = 3000) {
  Ranks ranks(Placement{});
  audit.runs = runs;
  const Placement alone{
      .rank = 0, .size = 1, .clients = static_cast<int>(audit.clients), .server_hosts = true};
  return run_audit(audit, alone, ranks, true);
}

struct Case {
  const char* method;
  std::vector<std::string> more;
  Tap tap;
  double least;  ///< share of the claim that the attack must reach
};

TEST(CentralAudit, StaysBelowTheClaim) {
  for (const Case& c : {Case{"dp-sgd", {}, Tap::mean, 0.5}, Case{"dp-gd", {}, Tap::mean, 0.5},
                        Case{"dp-srm", {"local.fresh=0.9"}, Tap::mean, 0.3},
                        Case{"ldp-spider", {"local.period=2"}, Tap::message, 0.2},
                        Case{"rrpsgd", {}, Tap::output, 0.2}}) {
    std::vector<std::string> words{std::string("method=") + c.method};
    words.insert(words.end(), c.more.begin(), c.more.end());
    const AuditPlan audit = plan_of(words);
    EXPECT_EQ(audit.tap, c.tap) << c.method;
    const AuditResult found = audit_of(audit);
    EXPECT_FALSE(found.refuted) << c.method;
    EXPECT_LE(found.epsilon, audit.account.epsilon.value) << c.method;
    EXPECT_GE(found.epsilon, c.least * audit.account.epsilon.value) << c.method;
    if (c.tap == Tap::output) continue;
    EXPECT_NEAR(found.influence.observed, found.influence.declared, 1e-4 * found.influence.declared)
        << c.method;
  }
}

// Less noise than is claimed shows.
TEST(CentralAudit, RefutesAFalseClaim) {
  for (const char* method : {"dp-sgd", "rrpsgd", "ldp-spider"}) {
    AuditPlan audit = plan_of({std::string("method=") + method});
    audit.plan.privacy.sigma = audit.sigma / 6;
    EXPECT_TRUE(audit_of(audit).refuted) << method;
  }
}

TEST(CentralAudit, InOneRunNeedsMessages) {
  const testing::TempFolder folder;
  folder.write("e.toml", experiment);
  AuditOptions options;
  options.file = folder.at("e.toml");
  options.overrides = {"method=dp-sgd"};
  options.one_run = true;
  testing::expect_parts(testing::refusal([&] { plan_audit(options); }), {"dp-sgd", "--one-run"});
}

}  // namespace trilemma::central_audit_test
