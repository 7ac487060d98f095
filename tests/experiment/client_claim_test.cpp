// What is claimed for whole clients (src/claim, src/experiment/claim.cpp, read_privacy.cpp; spec
// privacy.md 1 and 2.1 to 2.3).

#include <gtest/gtest.h>

#include <cmath>

#include "base/text.hpp"
#include "experiment/claim.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::client_claim_test {

using accounting::Relation;
using accounting::Sampling;
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
sigma = 0.25
delta = 1e-5
)";

Plan plan(const Words& words) {
  return read_plan(Settings::from_text(experiment, "e.toml", words));
}
Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
Claim claim(const Words& words) {
  const Plan p = plan(words);
  return make_claim(p, noise_sigma(p, 20), 20);
}

const Words full{};
const Words poisson{"participation.kind=poisson", "participation.rate=0.2"};
const Words fixed_size{"participation.kind=fixed-size", "participation.size=4"};
const Words at_server{"privacy.noise_at=server"};
const Words at_client{"privacy.noise_at=client"};
const std::string v_server = "privacy.view=V_server";
const std::string v_aggregate = "privacy.view=V_aggregate";

const char* const private_methods[] = {
    "dp-fedavg-clip",   "dp-normfedavg",       "dp-fedavg-smooth", "alpha-normec",
    "fed-alpha-normec", "fed-alpha-normec-ig", "clip21",           "pmtl",
    "pp-sgd",           "dp-scaffold",         "dp-decomfl"};

bool moves_with_draws(std::string_view method) {
  return method == "pmtl" || method == "pp-sgd" || method == "dp-scaffold";
}

struct Case {
  Words participation, place;
  std::string view;
  Sampling sampling;
  double sampled, full;  ///< sensitivities, in units of C
  const char* refused;   ///< key, where it is refused
};

// Twenty clients, four of them expected in a round.
TEST(ClientReleases, EveryCombination) {
  const Case cases[] = {
      {full, at_server, v_aggregate, Sampling::none, 0, 1 / 20.0, nullptr},
      {full, at_client, v_server, Sampling::none, 0, 1, nullptr},
      {full, at_client, v_aggregate, Sampling::none, 0, 1 / std::sqrt(20.0), nullptr},
      {full, at_server, v_server, Sampling::none, 0, 0, "privacy.view"},
      {poisson, at_server, v_aggregate, Sampling::poisson, 1 / 4.0, 0, nullptr},
      {poisson, at_client, v_server, Sampling::none, 0, 1, nullptr},
      {poisson, at_client, v_aggregate, Sampling::none, 0, 0, "privacy.view"},
      {poisson, at_server, v_server, Sampling::none, 0, 0, "privacy.view"},
      {fixed_size, at_server, v_aggregate, Sampling::fixed_wor, 1 / 4.0, 0, nullptr},
      {fixed_size, at_client, v_server, Sampling::none, 0, 1, nullptr},
      {fixed_size, at_client, v_aggregate, Sampling::none, 0, 0, "privacy.view"},
      {fixed_size, at_server, v_server, Sampling::none, 0, 0, "privacy.view"},
  };
  for (const char* method : private_methods)
    for (const auto& c : cases) {
      const Words words =
          with(with(with(c.participation, c.place), {c.view}), {std::string("method=") + method});
      const std::string where = fmt::format("{}", fmt::join(words, " "));
      SCOPED_TRACE(where);
      if (c.refused != nullptr) {
        testing::expect_parts(testing::refusal([&] { plan(words); }),
                              {c.refused, c.view.substr(13)});
        continue;
      }
      const Releases all = releases(plan(words), 20);
      const Release& r = all.of_every_round();
      // Where the state of clients moves with draws of a fixed size these hide nothing.
      const bool revealed = c.sampling == Sampling::fixed_wor && moves_with_draws(method);
      EXPECT_EQ(r.sampling, revealed ? Sampling::revealed : c.sampling);
      EXPECT_DOUBLE_EQ(r.sensitivity.sampled, 0.5 * c.sampled);
      EXPECT_DOUBLE_EQ(r.sensitivity.full, 0.5 * c.full);
      EXPECT_EQ(r.times, 30);
      EXPECT_DOUBLE_EQ(r.rate, c.sampled > 0 ? 0.2 : 1.0);
      // Draws of a fixed size have a theorem for replaced clients only; an absent client takes
      // its own noise with it.
      EXPECT_EQ(all.relation, c.participation == fixed_size ? Relation::replace_one
                              : c.place == at_client        ? Relation::zero_out
                                                            : Relation::add_remove);
    }
}

TEST(ClientReleases, TheServerAddsTheNoiseByDefault) {
  for (const char* method : private_methods) {
    const Plan p = plan({std::string("method=") + method});
    EXPECT_TRUE(p.privacy.at_server) << method;
    const bool has_models = p.method.steps.is_personal();
    EXPECT_EQ(has_models, std::string(method) == "pmtl" || std::string(method) == "pp-sgd");
    EXPECT_EQ(p.privacy.view, has_models ? Adversary::others : Adversary::aggregate) << method;
  }
}

TEST(ClientReleases, NeighboursWithoutTheNoiseOfAClientAreRefused) {
  testing::expect_parts(
      testing::refusal([] { plan(with(at_client, {"privacy.relation=add_remove"})); }),
      {"privacy.relation", "is absent adds no noise", "zero_out"});
  testing::expect_parts(testing::refusal([] { plan({"privacy.view=V_others"}); }),
                        {"privacy.view", "models of their own"});
}

TEST(LocalSteps, ShuffledMinibatchesAreForLocalSteps) {
  const std::string shuffled = "local.sampling=shuffled";
  testing::expect_parts(testing::refusal([&] {
                          plan({"method=ldp-sgd", shuffled});
                        }),
                        {"local.sampling", "ldp-sgd takes none", "without-replacement"});
  EXPECT_TRUE(plan({"method=fedavg", "local.solver=sgd", shuffled}).sampler->shuffles());
}

TEST(LocalSteps, AreRefusedWhereTheirStreamsWouldRepeat) {
  testing::expect_parts(testing::refusal([] {
                          plan({"rounds=4000000000", "local.steps=2"});
                        }),
                        {"local.steps", "2^32"});
}

// C(z) of a rand-k compressor can be d/k times as long as z; d = 16 with the bias.
TEST(ClientReleases, CompressionBeforeTheServersNoise) {
  const Words rand_k{"compressor.kind=rand-k", "compressor.k=4"};
  EXPECT_DOUBLE_EQ(releases(plan(rand_k), 20).of_every_round().sensitivity.full, 4 * 0.5 / 20);
  EXPECT_DOUBLE_EQ(releases(plan(with(rand_k, poisson)), 20).of_every_round().sensitivity.sampled,
                   4 * 0.5 / 4);
  // What leaves a client has its noise already.
  EXPECT_DOUBLE_EQ(releases(plan(with(rand_k, at_client)), 20).of_every_round().sensitivity.full,
                   0.5);
}

// A coordinate that one client alone has sent carries that client's noise alone, in the sum too.
TEST(ClientReleases, SumsOfSparseMessagesHaveNoMoreNoiseThanOne) {
  const Words rand_k{"compressor.kind=rand-k", "compressor.k=4", v_aggregate};
  EXPECT_DOUBLE_EQ(releases(plan(with(rand_k, at_client)), 20).of_every_round().sensitivity.full,
                   0.5);
  EXPECT_DOUBLE_EQ(releases(plan(with(rand_k, with(at_client, {"compressor.k=16"}))), 20)
                       .of_every_round()
                       .sensitivity.full,
                   0.5 / std::sqrt(20.0));
}

TEST(ClientClaim, TheRecordSaysWhatWasAccounted) {
  const PrivacyRecord r = claim(poisson).record;
  EXPECT_EQ(r.dp_claim, "accounted");
  EXPECT_EQ(r.unit, "client");
  EXPECT_EQ(r.units, 20);
  EXPECT_EQ(r.relation, "add_remove");
  EXPECT_EQ(r.view, "V_aggregate");
  EXPECT_EQ(r.aggregation, "simulated_trusted");
  EXPECT_EQ(r.sampler, "poisson");
  EXPECT_DOUBLE_EQ(r.sampling_rate, 0.2);
  EXPECT_DOUBLE_EQ(r.divisor, 4);
  EXPECT_EQ(r.divisor_kind, "constant");
  EXPECT_EQ(r.bound_per, "client");
  EXPECT_EQ(r.noise_place, "server");
  EXPECT_EQ(r.noise_mode, "per_coordinate");
  EXPECT_DOUBLE_EQ(r.noise_std_on_released, 0.25);
  EXPECT_DOUBLE_EQ(r.noise_std_on_sum, 1.0);
  EXPECT_DOUBLE_EQ(r.noise_multiplier, 2.0);  // r sigma / C
  EXPECT_DOUBLE_EQ(r.delta_times_units, 2e-4);
  ASSERT_EQ(r.components.size(), 1U);
  EXPECT_EQ(r.components[0].sampling, "poisson");
  EXPECT_EQ(r.components[0].steps, 30);
  EXPECT_DOUBLE_EQ(r.components[0].sigma, 2.0);
}

// Noise of norm sigma in all: 1/sqrt(d) of it on every coordinate, and no claim.
TEST(ClientClaim, ThinNoiseIsNoClaim) {
  const Words thin{"privacy.noise_mode=total_norm"};
  const Plan p = plan(thin);
  const double d = static_cast<double>(p.problem->dimension());
  EXPECT_DOUBLE_EQ(noise_sigma(p, 20), 0.25 / std::sqrt(d));
  EXPECT_DOUBLE_EQ(noise_sigma(plan(with(thin, {"method=dp-scaffold"})), 20),
                   0.25 / std::sqrt(2 * d));
  EXPECT_DOUBLE_EQ(noise_sigma(plan(with(thin, {"method=naive-dp-mtl"})), 20),
                   0.25 / std::sqrt(20 * d));
  const Claim found = claim(thin);
  EXPECT_EQ(found.record.noise_mode, "total_norm");
  EXPECT_EQ(found.record.dp_claim, "none");
  EXPECT_GT(found.record.epsilon, claim({}).record.epsilon);
  testing::expect_parts(found.sentence, {"not a private run:", "total_norm", "can guarantee"});
  testing::expect_parts(testing::refusal([&] {
                          plan(with(thin, {"privacy.epsilon=2", "privacy.calibration=accountant"}));
                        }),
                        {"privacy.noise_mode", "calibration"});
}

// The model of round 0 would tell what everybody's records have in common.
TEST(ClientClaim, AStartAtTheMinimumOfAllRecordsIsNoClaim) {
  Plan p = plan({});
  p.start.at_optimum = true;
  const Claim found = make_claim(p, noise_sigma(p, 20), 20);
  EXPECT_EQ(found.record.dp_claim, "none");
  testing::expect_parts(found.sentence, {"not a private run:", "start.at", "minimiser"});
  testing::expect_parts(join(found.record.preprocessing, "; "), {"minimiser"});
  Plan local = read_plan(
      Settings::from_text("method = \"local\"\nclients = 20\n[data]\nrows = 400\n", "e.toml", {}));
  EXPECT_TRUE(make_claim(local, 0, 20)
                  .sentence.starts_with("holds: neither messages nor models leave a client"));
  testing::expect_parts(make_claim(local, 0, 20).sentence,
                        {"holds: neither messages nor models leave a client", "outside the claim",
                         "feature scaling"});
  local.start.at_optimum = true;
  EXPECT_EQ(make_claim(local, 0, 20).record.dp_claim, "none");
}

TEST(ClientClaim, SaysWhoIsProtectedAgainstWhom) {
  testing::expect_parts(claim({}).sentence, {"holds: (", "one client added or removed", "trusted"});
  testing::expect_parts(claim(fixed_size).sentence, {"one client replaced"});
  testing::expect_parts(claim(at_client).sentence, {"sees every message"});
  testing::expect_parts(claim(with(at_client, {v_aggregate})).sentence, {"sums"});
}

// Twice the distance is half the noise; a client that is set to zero is one removed.
TEST(ClientClaim, ReplacedClientsLieTwiceAsFarApart) {
  for (const Words& where : {Words{}, at_client}) {
    const double replaced =
        claim(with(where, {"privacy.relation=replace_one", "privacy.sigma=0.5"})).record.epsilon;
    EXPECT_NEAR(replaced, claim(with(where, {"privacy.sigma=0.25"})).record.epsilon,
                1e-3 * replaced);
    EXPECT_EQ(claim(with(where, {"privacy.relation=zero_out"})).record.epsilon,
              claim(where).record.epsilon);
  }
}

TEST(ClientClaim, FixedSizesHaveNoTheoremForRemovedClients) {
  const Claim found = claim(with(fixed_size, {"privacy.relation=add_remove"}));
  EXPECT_EQ(found.record.dp_claim, "none");
  testing::expect_parts(found.sentence, {"not a private run:", "a fixed number of participants",
                                         "participation.kind = poisson"});
}

// Releasing one client in the clear is (0, 1/n)-DP.
TEST(ClientClaim, DeltaOfOneOverTheClientsIsNoClaim) {
  for (const char* delta : {"privacy.delta=0.05", "privacy.delta=0.2"}) {
    const Claim found = claim({delta});
    EXPECT_EQ(found.record.dp_claim, "none") << delta;
    testing::expect_parts(found.sentence, {"not a private run:", "20 clients", "delta_too_large"});
  }
  testing::expect_parts(claim({"privacy.delta=0.01"}).sentence, {"holds:", "well below 1/n"});
  EXPECT_EQ(claim({"privacy.delta=1e-3"}).sentence.find("well below"), std::string::npos);
}

TEST(ClientClaim, WithoutNoiseThereIsNone) {
  EXPECT_EQ(claim({"privacy.sigma=0"}).record.dp_claim, "none");
  for (const char* method : {"method=fedavg", "method=fedprox"})
    EXPECT_EQ(claim({method}).record.dp_claim, "none");
}

// Normalising has the same bound as clipping ([NORM]), error feedback the same as none ([NEC]):
// states of clients and servers, momentum and normalised steps cost nothing.
TEST(ClientClaim, PartsAfterTheBoundCostNothing) {
  const double clip = claim(poisson).record.epsilon;
  for (const char* method : private_methods)
    EXPECT_EQ(claim(with(poisson, {std::string("method=") + method})).record.epsilon, clip)
        << method;
  EXPECT_EQ(claim(with(poisson, {"server.momentum=0.8", "server.normalise=true"})).record.epsilon,
            clip);
}

// However its records are drawn: what leaves a client is bounded as a whole.
TEST(ClientClaim, MinibatchesHaveNoPartInIt) {
  const double whole = claim({}).record.epsilon;
  for (const char* sampling : {"poisson", "without-replacement", "with-replacement"}) {
    const Words words{"local.batch=5", std::string("local.sampling=") + sampling};
    const Claim steps = claim(with(words, {"local.solver=sgd"}));
    EXPECT_EQ(steps.record.dp_claim, "accounted") << steps.sentence;
    EXPECT_EQ(steps.record.epsilon, whole) << sampling;
    const Claim saga = claim(with(words, {"method=soteriafl-saga", "bound.kind=clip-client",
                                          "compressor.k=4", "privacy.noise_at=client"}));
    EXPECT_EQ(saga.record.dp_claim, "accounted") << saga.sentence;
  }
  const std::string paper = std::string(experiment)
                                .replace(std::string(experiment).find("sigma = 0.25"), 12,
                                         "calibration = \"paper\"\nepsilon = 2");
  const Plan p = read_plan(Settings::from_text(
      paper, "e.toml", {"local.solver=sgd", "local.batch=5", "local.sampling=with-replacement"}));
  EXPECT_EQ(make_claim(p, noise_sigma(p, 20), 20).record.reason, "");
}

}  // namespace trilemma::client_claim_test
