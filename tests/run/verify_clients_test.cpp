// Records of claims for whole clients against what follows from their settings
// (src/claim/verify.cpp): right ones hold, tampered ones are found out.

#include <gtest/gtest.h>

#include "claim/verify.hpp"
#include "experiment/claim.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::verify_clients_test {

using Words = std::vector<std::string>;

constexpr const char* experiment = R"(
method = "dp-fedavg-clip"
clients = 20
rounds = 30
[data]
rows = 400
features = 15
[bound]
threshold = 0.5
[privacy]
sigma = 0.5
delta = 1e-5
)";

const Words poisson{"participation.kind=poisson", "participation.rate=0.2"};
const Words fixed_size{"participation.kind=fixed-size", "participation.size=4"};
const Words at_client{"privacy.noise_at=client"};
const Words sums{"privacy.noise_at=client", "privacy.view=V_aggregate"};

// The record of a finished run.
PrivacyRecord record(Words words, const Words& more = {}) {
  words.insert(words.end(), more.begin(), more.end());
  const Plan plan = read_plan(Settings::from_text(experiment, "e.toml", words));
  PrivacyRecord found = make_claim(plan, noise_sigma(plan, 20), 20).record;
  found.rounds_executed = 30;
  return found;
}

constexpr RunEnd complete{31, true};

TEST(VerifyClients, SoundClaimsHold) {
  const Words sgd{"local.solver=sgd", "local.batch=5"};
  const Words rand_k{"compressor.kind=rand-k", "compressor.k=4"};
  for (const Words& who : {Words{}, poisson, fixed_size})
    for (const Words& more : {Words{}, at_client, sgd, rand_k}) {
      const PrivacyRecord r = record(who, more);
      const Verification found = verify(r, r, complete);
      EXPECT_EQ(found.verdict, Verdict::holds) << found.reason;
    }
  // A coin that always falls on one side is everybody.
  const Words certain{"participation.kind=poisson", "participation.rate=1"};
  for (const Words& who : {Words{}, certain}) {
    const PrivacyRecord r = record(sums, who);
    const Verification found = verify(r, r, complete);
    EXPECT_EQ(found.verdict, Verdict::holds) << found.reason;
  }
}

void expect_failure(const PrivacyRecord& tampered, const PrivacyRecord& expected,
                    const std::string& reason, const RunEnd& end = complete) {
  const Verification found = verify(tampered, expected, end);
  EXPECT_EQ(found.verdict, Verdict::fails) << reason;
  testing::expect_parts(found.reason, {reason});
}

// Every field but those about the accountant's work, each changed for itself.
TEST(VerifyClients, EveryFieldIsCompared) {
  const PrivacyRecord right = record(poisson);
  int compared = 0;
  for (const auto& field : privacy_fields()) {
    const std::string name = field.name;
    PrivacyRecord r = right;
    const FieldValue value = field.get(r);
    if (const auto* number = std::get_if<double>(&value))
      field.set(r, std::isnan(*number) ? 1 : std::nan(""));
    else if (std::holds_alternative<std::vector<std::string>>(value))
      field.set(r, std::vector<std::string>{"everything"});
    else
      field.set(r, std::string("everybody"));
    const Verification found = verify(r, right, complete);
    if (found.verdict == Verdict::holds) {
      // What columns reveal, and the version, without which nothing is known about the others.
      EXPECT_TRUE(name.starts_with("drawn_") || name == "accountant_version") << name;
    } else {
      EXPECT_EQ(found.verdict, Verdict::fails) << name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 55);
}

TEST(VerifyClients, SpeaksOfSixDigitsAndKeepsAll) {
  const PrivacyRecord right = record(poisson);
  PrivacyRecord r = right;
  r.sampling_rate = 1.0 / 3;
  const Verification found = verify(r, right, complete);
  testing::expect_parts(found.reason, {"sampling_rate is recorded as 0.333333, but "});
  ASSERT_FALSE(found.differences.empty());
  EXPECT_EQ(found.differences[0].field, "sampling_rate");
  EXPECT_EQ(std::get<double>(found.differences[0].recorded), 1.0 / 3);
  const auto said = [](const char* field, Difference::Value recorded, Difference::Value expected) {
    return in_words(Difference{.field = field, .recorded = recorded, .expected = expected});
  };
  EXPECT_EQ(said("x", 1.00000001, 1.0),
            "x is recorded as 1.00000001, but 1 follows from the configuration");
  EXPECT_EQ(said("x", "a", "b"),
            "x is recorded as \"a\", but \"b\" follows from the configuration");
  // Whole numbers in full, seeds among them.
  EXPECT_EQ(said("seed", 20240101.0, 0.125),
            "seed is recorded as 20240101, but 0.125 follows from the configuration");
}

TEST(VerifyClients, SoundClaimsAreSaidInWords) {
  const PrivacyRecord r = record(poisson);
  const std::string reason = verify(r, r, complete).reason;
  testing::expect_parts(reason, {")-DP for one client added or removed, against whoever sees "});
  for (const char* raw : {"add_remove", "V_", "non_private"})
    EXPECT_EQ(reason.find(raw), std::string::npos) << reason;
}

TEST(VerifyClients, WrongComponentsAreFoundOut) {
  const PrivacyRecord right = record(poisson);
  for (auto change :
       {+[](PrivacyComponent& c) { c.rate /= 2; }, +[](PrivacyComponent& c) { c.sigma *= 2; },
        +[](PrivacyComponent& c) { c.steps = 1; },
        +[](PrivacyComponent& c) { c.sampling = "none"; }}) {
    PrivacyRecord r = right;
    change(r.components[0]);
    expect_failure(r, right, "in row 0, but ");
  }
  PrivacyRecord r = right;
  r.components.clear();
  expect_failure(r, right, "number of components is recorded as 0");
}

TEST(VerifyClients, WhatTheRoundsHaveShown) {
  const PrivacyRecord right = record(poisson);
  PrivacyRecord r = right;
  r.epsilon *= 0.999;
  expect_failure(r, right, "epsilon is recorded as 1.11");
  r = right;
  r.rounds_executed = 31;
  expect_failure(r, right, "rounds_executed is recorded as 31, but is at most 30");
  r.rounds_executed = std::nan("");
  expect_failure(r, right, "rounds_executed is recorded as nan");
  expect_failure(right, right, "number of rounds in /rounds is recorded as 40", {41, true});
  expect_failure(right, right, "calls itself complete", {11, true});
  EXPECT_EQ(verify(right, right, {11, false}).verdict, Verdict::holds);
  r = right;
  r.bound_observed = 0.6;
  expect_failure(r, right, "bound_observed is recorded as 0.6");
}

TEST(VerifyClients, PromisesAreCompared) {
  PrivacyRecord right = record(poisson);
  right.calibration_epsilon = right.epsilon / 2;
  expect_failure(right, right, "was promised");
  right = record(poisson);
  right.dp_claim = "none";
  EXPECT_EQ(verify(right, right, complete).verdict, Verdict::no_claim);
}

}  // namespace trilemma::verify_clients_test
