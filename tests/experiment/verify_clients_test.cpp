// Claims for whole clients, accounted anew from their records (src/experiment/verify.cpp): right
// ones hold, tampered ones are found out.

#include <gtest/gtest.h>

#include "experiment/claim.hpp"
#include "experiment/verify.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma {
namespace {

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
  PrivacyRecord found = make_claim(plan, noise_sigma(plan, 20), 20, "none").record;
  found.rounds_executed = 30;
  return found;
}

TEST(VerifyClients, SoundClaimsHold) {
  const Words sgd{"local.solver=sgd", "local.batch=5"};
  const Words rand_k{"compressor.kind=rand-k", "compressor.k=4"};
  for (const Words& who : {Words{}, poisson, fixed_size})
    for (const Words& more : {Words{}, at_client, sgd, rand_k}) {
      const Verification found = verify(record(who, more), "");
      EXPECT_EQ(found.verdict, Verdict::holds) << found.reason;
    }
  // A coin that always falls on one side is everybody.
  const Words certain{"participation.kind=poisson", "participation.rate=1"};
  for (const Words& who : {Words{}, certain}) {
    const Verification found = verify(record(sums, who), "");
    EXPECT_EQ(found.verdict, Verdict::holds) << found.reason;
  }
}

void expect_failure(const PrivacyRecord& tampered, const std::string& reason) {
  const Verification found = verify(tampered, "");
  EXPECT_EQ(found.verdict, Verdict::fails);
  testing::expect_parts(found.reason, {reason});
}

TEST(VerifyClients, WrongSamplingIsFoundOut) {
  PrivacyRecord r = record(poisson);
  r.sampler = "fixed-size";
  expect_failure(r, "clients are drawn fixed-size");
  r = record(poisson);
  r.sampling_rate = 0.1;
  expect_failure(r, "a sampling rate");
  r = record(poisson);
  r.sampling_rate = r.components[0].rate = 0.1;
  expect_failure(r, "sampling_rate");
  r = record(fixed_size);
  r.sampler = "without-replacement";  // of records
  expect_failure(r, "clients are drawn without-replacement");
}

// Sensitivity and components agree with each other, but not with the bound.
PrivacyRecord less_sensitive(PrivacyRecord r) {
  r.sensitivity_sampled /= 2;
  r.sensitivity_full /= 2;
  r.components[0].sigma *= 2;
  r.noise_multiplier *= 2;
  return r;
}

TEST(VerifyClients, SensitivitiesBelowTheBoundAreFoundOut) {
  for (const Words& who : {Words{}, poisson, fixed_size})
    expect_failure(less_sensitive(record(who)), "norm bound over the divisor");
  for (const Words& words : {at_client, sums})
    expect_failure(less_sensitive(record(words)), "norm bound of a client's message");
}

TEST(VerifyClients, NoiseAtTheClientsGivesNoAmplification) {
  PrivacyRecord r = record(poisson);
  r.noise_place = "client";
  r.noise_std_on_sum = r.noise_std_on_released * 2;
  expect_failure(r, "sees when it sends");
  r = record(poisson, at_client);
  r.view = "V_aggregate";
  expect_failure(r, "varies with their number");
  r = record(sums);
  r.view = "V_server";
  expect_failure(r, "norm bound of a client's message");
}

TEST(VerifyClients, NoiseOnTheSum) {
  for (const Words& words : {Words{}, at_client}) {
    PrivacyRecord r = record(words);
    r.noise_std_on_sum *= 1.1;
    expect_failure(r, "noise_std_on_sum");
  }
}

}  // namespace
}  // namespace trilemma
