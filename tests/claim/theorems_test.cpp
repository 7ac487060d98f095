// Which theorem covers what (src/claim/theorems.cpp; spec privacy.md 1 to 2.5).

#include "claim/theorems.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/text.hpp"
#include "experiment/claim.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::theorems_test {

using accounting::Relation;
using accounting::Sampling;
using Words = std::vector<std::string>;

constexpr const char* experiment = R"(
method = "dp-fedavg-clip"
clients = 1000
rounds = 100
[data]
rows = 4000
features = 15
[participation]
kind = "fixed-size"
size = 10
[bound]
threshold = 0.5
[privacy]
sigma = 0.1
delta = 1e-5
relation = "zero_out"
)";

Plan plan(const Words& words) {
  return read_plan(Settings::from_text(experiment, "e.toml", words));
}
Claim claim(const Words& words, const ShardSizes& shards = 4) {
  const Plan p = plan(words);
  return make_claim(p, noise_sigma(p, shards), shards);
}

// Every combination has a row: either a theorem with its source, or one sentence.
TEST(Theorems, EveryCaseIsDecided) {
  std::set<std::string> names;
  int refused = 0;
  for (int code = 0; code < 2 * 5 * 2 * 3 * 5 * 4 * 2 * 2 * 3 * 2 * 5; ++code) {
    int rest = code;
    auto next = [&rest](int count) {
      const int value = rest % count;
      rest /= count;
      return value;
    };
    ClaimCase kind;
    kind.unit = static_cast<Unit>(next(2));
    kind.view = static_cast<Adversary>(next(5));
    kind.place = static_cast<Place>(next(2));
    kind.relation = static_cast<Relation>(next(3));
    kind.records = static_cast<RecordDraw>(next(5));
    kind.clients = static_cast<Draw>(next(4));
    kind.state_moves = next(2) == 1;
    kind.remembers_draws = next(2) == 1;
    kind.generator = static_cast<Generator>(next(3));
    kind.spares_noise = next(2) == 1;
    kind.cover = static_cast<Cover>(next(5));
    const Theorem& found = theorem_for(kind);
    ASSERT_NE(found.name == nullptr, found.refusal == nullptr);
    if (found.refusal != nullptr) {
      ++refused;
      continue;
    }
    ASSERT_NE(found.source, nullptr);
    names.insert(found.name);
    if (kind.cover == Cover::random_trials) {
      EXPECT_EQ(kind.view, Adversary::aggregate);
      EXPECT_NE(kind.relation, Relation::add_remove);
    }
    if (kind.cover == Cover::masked_signs) {
      EXPECT_EQ(kind.unit, Unit::client);
      EXPECT_EQ(kind.generator, Generator::simulation);
      EXPECT_NE(kind.relation, Relation::zero_out);
      EXPECT_EQ(found.counting, Counting::hidden);
    }
    EXPECT_FALSE(kind.unit == Unit::record && kind.records == RecordDraw::shuffled);
    // Draws hide something only from who cannot see them.
    if (kind.unit == Unit::client && found.counting == Counting::hidden) {
      EXPECT_EQ(kind.place, Place::server);
      EXPECT_NE(kind.view, Adversary::server);
      EXPECT_NE(kind.generator, Generator::seed_known);
      EXPECT_EQ(kind.clients == Draw::everyone,
                kind.cover == Cover::masked_signs || kind.cover == Cover::masked_blocks);
      if (kind.clients == Draw::fixed_size) {
        EXPECT_EQ(kind.view, Adversary::aggregate);
        EXPECT_EQ(kind.relation, Relation::replace_one);
        EXPECT_FALSE(kind.state_moves);
      }
    }
  }
  EXPECT_EQ(names.size(), 9U);
  EXPECT_GT(refused, 0);
}

// All others together know who of them took part. With multiplier 1 at rate .01 over 100 rounds and
// delta 1e-5 hidden draws would cost 1.48, known ones 8.62.
TEST(Theorems, FixedDrawsHideNothingFromAllOthers) {
  const Words others{"method=pmtl", "privacy.sigma=0.05"};
  const Claim found = claim(others);
  EXPECT_EQ(found.record.view, "V_others");
  EXPECT_EQ(found.record.sampling_scheme, "revealed");
  EXPECT_DOUBLE_EQ(found.record.noise_multiplier, 1);
  EXPECT_NEAR(found.record.epsilon, 8.62, 0.01);
  testing::expect_parts(found.sentence, {"holds: (8.6"});
}

// State that moves with the draws correlates them with later rounds, in any view.
TEST(Theorems, FixedDrawsAndStateThatMovesWithThem) {
  for (const char* method : {"method=pmtl", "method=pp-sgd", "method=dp-scaffold"}) {
    const Words moves{method, "privacy.sigma=0.1", "privacy.view=V_aggregate",
                      "privacy.relation=replace_one"};
    const Release r = releases(plan(moves), 4).of_every_round();
    EXPECT_EQ(r.sampling, Sampling::revealed) << method;
    EXPECT_NEAR(claim(moves).record.epsilon, 8.62, 0.01) << method;
  }
  // A state that remembers the rounds in which its client took part, in any part of the plan.
  const Words skipped{"privacy.relation=replace_one", "memory.kind=residual",
                      "compressor.kind=top-k", "compressor.k=5", "compressor.index=fixed"};
  for (const char* method :
       {"method=dp-fedavg-clip", "method=dp-normfedavg", "method=dp-fedavg-smooth"}) {
    Words words = skipped;
    words.emplace_back(method);
    EXPECT_EQ(releases(plan(words), 4).of_every_round().sampling, Sampling::revealed) << method;
  }
  Words of_estimates = skipped;
  of_estimates.insert(of_estimates.end(), {"method=cdp-sgd", "bound.kind=clip-client",
                                           "privacy.noise_at=server", "local.batch=2"});
  EXPECT_EQ(releases(plan(of_estimates), 4).of_every_round().sampling, Sampling::revealed);
  const Words without{"method=cdp-sgd", "bound.kind=clip-client", "privacy.noise_at=server",
                      "local.batch=2",  "compressor.kind=rand-k", "privacy.relation=replace_one"};
  EXPECT_EQ(releases(plan(without), 4).of_every_round().sampling, Sampling::fixed_wor);
  const Words still{"privacy.relation=replace_one"};
  EXPECT_EQ(releases(plan(still), 4).of_every_round().sampling, Sampling::fixed_wor);
  EXPECT_EQ(releases(plan({"method=alpha-normec", "privacy.relation=replace_one"}), 4)
                .of_every_round()
                .sampling,
            Sampling::fixed_wor);
  // A client's own coin is covered.
  const Words coin{"method=pmtl", "participation.kind=poisson", "participation.rate=0.01"};
  EXPECT_EQ(releases(plan(coin), 4).of_every_round().sampling, Sampling::poisson);
  const Words residual_of_samples{"memory.kind=residual",    "compressor.kind=top-k",
                                  "compressor.index=fixed",  "participation.kind=poisson",
                                  "participation.rate=0.01", "privacy.relation=add_remove"};
  EXPECT_EQ(releases(plan(residual_of_samples), 4).of_every_round().sampling, Sampling::poisson);
}

// Noise from a secret and participants from a seed that everybody may know: no amplification.
TEST(Theorems, DrawsFromAKnownSeedHideNothing) {
  ClaimCase kind;
  kind.unit = Unit::client;
  kind.view = Adversary::aggregate;
  kind.place = Place::server;
  kind.clients = Draw::independent;
  EXPECT_EQ(theorem_for(kind).counting, Counting::hidden);
  kind.generator = Generator::secret;
  EXPECT_EQ(theorem_for(kind).counting, Counting::hidden);
  kind.generator = Generator::seed_known;
  EXPECT_EQ(theorem_for(kind).counting, Counting::every_round);
}

// Whoever sees messages and the numbers that decode them sees the vector to within a step.
TEST(Theorems, NoiseOfDecodedMessagesProtectsTheirSumOnly) {
  const Plan p = plan({"joint.kind=layered", "participation.kind=full", "privacy.sigma=0.5"});
  ClaimInputs inputs = claim_inputs_of(p, 4);
  const Claim found = make_claim(inputs, 0.5);
  EXPECT_EQ(found.record.aggregation, "trusted_decoding");
  testing::expect_parts(found.sentence, {"holds: (", "if the server is trusted"});
  inputs.kind.generator = Generator::secret;
  testing::expect_parts(make_claim(inputs, 0.5).sentence, {"not a private run", "know the seed"});
  inputs.kind.generator = Generator::simulation;
  inputs.kind.view = Adversary::server;
  testing::expect_parts(make_claim(inputs, 0.5).sentence, {"not a private run", "their sum only"});
}

// A coordinate of csgm moves by c / (gamma n), in d releases a round.
TEST(Theorems, CoordinatesOfSignsAreReleasesOfTheirOwn) {
  const Words signs{"joint.kind=csgm", "participation.kind=full", "privacy.relation=add_remove",
                    "joint.rate=0.1"};
  const Plan p = plan(signs);
  const Release r = releases(p, 4).of_every_round();
  EXPECT_EQ(r.sampling, Sampling::poisson);
  EXPECT_EQ(r.rate, 0.1);
  EXPECT_EQ(r.times, 100);
  EXPECT_EQ(r.coordinates, 16);
  EXPECT_EQ(r.range, 3);
  EXPECT_NEAR(r.sensitivity.sampled, 3 * 0.5 / 4 / 0.1 / 1000, 1e-9);
  testing::expect_parts(claim(signs).record.theorem, {"Poisson samples of the signs", "the norm"});
}

// Messages that are private alone have a claim for whoever sees them, with their senders or
// without, and no other.
TEST(Theorems, MessagesThatArePrivateAlone) {
  int covered = 0;
  for (const Unit unit : {Unit::record, Unit::client})
    for (const Adversary view :
         {Adversary::server, Adversary::aggregate, Adversary::others, Adversary::shuffled})
      for (const Relation relation :
           {Relation::add_remove, Relation::zero_out, Relation::replace_one}) {
        ClaimCase kind;
        kind.unit = unit;
        kind.view = view;
        kind.relation = relation;
        kind.cover = Cover::local_messages;
        const Theorem& found = theorem_for(kind);
        const bool is_covered = unit == Unit::client &&
                                (view == Adversary::server || view == Adversary::shuffled) &&
                                relation != Relation::add_remove;
        EXPECT_EQ(found.refusal == nullptr, is_covered);
        covered += found.refusal == nullptr ? 1 : 0;
      }
  EXPECT_EQ(covered, 4);
}

// Shuffled messages count on those of every client, and only on messages that are private alone.
TEST(Theorems, ShuffledMessages) {
  ClaimCase kind;
  kind.unit = Unit::client;
  kind.view = Adversary::shuffled;
  kind.relation = Relation::replace_one;
  kind.cover = Cover::local_messages;
  for (const Draw draw : {Draw::everyone, Draw::independent, Draw::fixed_size, Draw::dropping}) {
    kind.clients = draw;
    EXPECT_EQ(theorem_for(kind).refusal == nullptr, draw == Draw::everyone);
  }
  kind.clients = Draw::everyone;
  kind.place = Place::server;
  EXPECT_NE(theorem_for(kind).refusal, nullptr);
  kind.place = Place::client;
  for (const Cover cover : {Cover::noise, Cover::masked_signs, Cover::random_trials}) {
    kind.cover = cover;
    EXPECT_NE(theorem_for(kind).refusal, nullptr);
  }
}

// 1,000 clients at (0.5084, 1e-6) in 10 rounds: epsilon 1 for a message (section 9 of the
// specification). The same messages with their senders have a larger epsilon.
TEST(Theorems, ShufflingHidesSenders) {
  std::string text = experiment;
  text.replace(text.find("sigma = 0.1\ndelta = 1e-5"), 24, "epsilon = 0.5084\ndelta = 1e-6");
  const Plan p = read_plan(Settings::from_text(
      text, "e.toml",
      {"joint.kind=sqkr", "participation.kind=full", "rounds=10", "privacy.view=V_shuffled"}));
  EXPECT_EQ(p.uplink, "shuffle");
  ClaimInputs inputs = claim_inputs_of(p, 4);
  EXPECT_NEAR(inputs.messages->pair.epsilon, 1, 1e-3);
  const double sigma = noise_sigma(p, 4);
  const Claim found = make_claim(p, sigma, 4);
  EXPECT_LE(found.record.epsilon, 0.5084);
  EXPECT_GT(found.record.epsilon, 0.5084 * (1 - 1e-4));
  EXPECT_EQ(found.record.aggregation, simulated_shuffler);
  EXPECT_EQ(found.record.view, "V_shuffled");
  EXPECT_LT(found.spent(2), found.spent(5));
  EXPECT_EQ(found.spent(10), found.record.epsilon);
  testing::expect_parts(found.record.theorem, {"shuffled", "clones"});
  testing::expect_parts(found.sentence,
                        {"one client set to zero", "not its sender", "if the shuffler is trusted"});
  inputs.kind.view = Adversary::server;
  EXPECT_GT(make_claim(inputs, sigma).record.epsilon, 5);
}

// In one round epsilon is that of the message, and needs no delta; in several it is that of the
// trinomial law.
TEST(Theorems, LocalMessagesComposeExactly) {
  const Words local{"joint.kind=sqkr", "participation.kind=full", "privacy.relation=replace_one"};
  const auto account_of = [&](Words more) {
    more.insert(more.end(), local.begin(), local.end());
    std::string text = experiment;
    text.replace(text.find("sigma = 0.1\ndelta = 1e-5"), 24, "epsilon = 2.0");
    const Plan p = read_plan(Settings::from_text(text, "e.toml", more));
    return make_claim(p, noise_sigma(p, 4), 4);
  };
  const Claim one = account_of({"rounds=1"});
  EXPECT_EQ(one.record.epsilon, 2);
  EXPECT_EQ(one.record.delta, 0);
  EXPECT_EQ(one.record.noise_kind, "sqkr");
  EXPECT_EQ(one.record.float_dp, exact_in_integers);
  testing::expect_parts(one.sentence, {"holds: (2, 0)-DP for one client replaced"});
  const Claim many = account_of({"privacy.delta=1e-5"});
  EXPECT_LE(many.record.epsilon, 2);
  EXPECT_GT(many.record.epsilon, 2 * (1 - 1e-6));
  EXPECT_EQ(many.record.epsilon_lower, many.record.epsilon);
  EXPECT_LT(many.spent(10), many.spent(50));
  EXPECT_LE(many.spent(50), many.spent(100));
  EXPECT_EQ(many.spent(100), many.record.epsilon);
  EXPECT_NEAR(account_of({"privacy.relation=zero_out"}).record.epsilon, 2, 1e-12);
}

// Publishing one record of the largest client at random would satisfy delta = 1/m.
TEST(Theorems, TheLargestClientDecidesAboutDelta) {
  const Words local{"method=ldp-sgd", "participation.kind=full", "local.batch=2",
                    "privacy.delta=0.0045", "privacy.sigma=1"};
  EXPECT_EQ(claim(local, 14).record.dp_claim, "accounted");
  const Claim found = claim(local, {14, 526});
  EXPECT_EQ(found.record.dp_claim, "none");
  EXPECT_NEAR(found.record.delta_times_units, 2.367, 1e-9);
  testing::expect_parts(found.sentence, {"not a private run", "m = 526", "delta_too_large"});
  // What a record costs is decided by the smallest, where it is drawn most often.
  EXPECT_DOUBLE_EQ(found.record.sampling_rate, 2.0 / 14);
}

// The sentence names everything that used the records in addition to the messages.
TEST(Theorems, TheSentenceNamesWhatItLeavesOut) {
  Plan p = plan({});
  testing::expect_parts(claim({}).sentence, {"except for", "feature scaling", "recorded metrics"});
  EXPECT_EQ(claim({"data.scaling=none"}).sentence.find("feature scaling"), std::string::npos);
  p.start.file = NamedFile("folder/model.txt");
  const Claim started = make_claim(p, 0.1, 4);
  testing::expect_parts(started.sentence, {"the data behind the start model"});
  testing::expect_parts(join(started.record.preprocessing, "; "), {"start model from model.txt"});
  testing::expect_parts(claim({"partition.kind=label-sorted"}).sentence, {"partitioning by label"});
}

TEST(Theorems, TheSentenceNamesWhatWasMadeOfAllRecords) {
  const Words csv{"data.source=csv", "data.features=19", "data.classes=0", "data.scaling=none"};
  const auto with = [&](const char* more) {
    const auto settings =
        "method = \"ldp-sgd\"\nclients = 42\n[privacy]\nsigma = 1\ndelta = 1e-5\n";
    Words words = csv;
    words.emplace_back(more);
    return make_claim(read_plan(Settings::from_text(settings, "e.toml", words)), 1, 100);
  };
  testing::expect_parts(with("data.missing=mean").sentence, {"means in place of missing values"});
  testing::expect_parts(join(with("data.missing=mean").record.preprocessing, "; "),
                        {"(data.missing)"});
  testing::expect_parts(with("data.one_hot=sex").sentence, {"features for the words that occur"});
  testing::expect_parts(join(with("data.one_hot=sex").record.preprocessing, "; "),
                        {"(data.one_hot)"});
  const auto drawn = [&](const char* strict) {
    const auto settings =
        "method = \"ldp-sgd\"\nclients = 4\n[data]\nuser = \"\"\ntest_share = 0.2\n"
        "[privacy]\nsigma = 1\ndelta = 1e-5\n";
    Words words = csv;
    words.emplace_back(strict);
    return make_claim(read_plan(Settings::from_text(settings, "e.toml", words)), 1, 100);
  };
  const Claim open = drawn("privacy.strict=false");
  testing::expect_parts(open.sentence, {"the records drawn for tests (not protected)"});
  testing::expect_parts(join(open.record.releases_outside, "; "),
                        {"scores on records drawn for tests"});
  const Claim strict = drawn("privacy.strict=true");
  EXPECT_EQ(strict.sentence.find("drawn for tests"), std::string::npos);
  EXPECT_EQ(join(strict.record.releases_outside, "; ").find("drawn for tests"), std::string::npos);
  EXPECT_TRUE(with("data.missing=drop").record.preprocessing.empty());
  testing::expect_parts(join(with("data.missing=drop").record.releases_outside, "; "),
                        {"number of incomplete records"});
}

TEST(Theorems, AnEpsilonWithoutATheoremIsRefused) {
  const char* saga = R"(
method = "soteriafl-saga"
[data]
rows = 400
[privacy]
epsilon = 2
delta = 1e-5
)";
  const Plan p = read_plan(
      Settings::from_text(saga, "e.toml", {"local.batch=5", "local.sampling=without-replacement"}));
  testing::expect_parts(testing::refusal([&] { noise_sigma(p, 40); }),
                        {"privacy.epsilon", "remembers earlier draws", "privacy.sigma"});
}

}  // namespace trilemma::theorems_test
