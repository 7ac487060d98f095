// Methods on the simulated clock whose clients bound their messages and add noise to them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "experiment/claim.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::timed_privacy_test {
namespace {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

Words with(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

const Words two_of_four{"method=favano", "participation.kind=fixed-size", "participation.size=2",
                        "rounds=40"};
const Words bounded{"bound.kind=clip-client", "bound.threshold=0.01", "privacy.delta=0.01"};

// Progress is divided by alpha before it is bounded, so that the bound is on what is sent.
TEST(TimedPrivacy, MessagesAreBoundedAfterTheyAreReweighted) {
  for (const char* method :
       {"favano", "quafl", "fedbuff", "fedasync", "fedavg-timed", "asyncsgd"}) {
    Words words = with(
        bounded, {std::string("method=") + method, "privacy.sigma=0", "rounds=10", "local.rate=5"});
    if (std::string(method) == "fedbuff") words.emplace_back("server.buffer=2");
    Federation f(tiny_experiment, words);
    const std::size_t d = f.x().size();
    double most = 0;
    for (int step = 0; step < 10; ++step) {
      const auto sent = f.round();
      for (std::size_t at = 0; at < sent.size(); at += d * sizeof(double)) {
        std::vector<double> values(d);
        std::memcpy(values.data(), sent.data() + at, d * sizeof(double));
        double square = 0;
        for (const double value : values) square += value * value;
        most = std::max(most, std::sqrt(square));
      }
    }
    EXPECT_NEAR(most, 0.01, 1e-6) << method;
  }
}

// Each client's own messages are composed, not those of all server steps.
TEST(TimedPrivacy, TheClientThatIsMetMostOftenIsAccounted) {
  Federation f(tiny_experiment, with(with(two_of_four, bounded), {"privacy.sigma=0.05"}));
  std::vector<int> contacts(4, 0);
  const auto clock = f.plan.clock.make();
  TimedStep server_step;
  for (int step = 0; step < 40; ++step) {
    clock->next(server_step);
    for (const Contact& contact : server_step.contacts) ++contacts[contact.client];
  }
  const int most = *std::max_element(contacts.begin(), contacts.end());
  EXPECT_LT(most, 40);
  const Releases all = releases(f.plan, {15, 15});
  EXPECT_EQ(all.of_every_round().times, most);
  EXPECT_EQ(all.of_every_round().sensitivity.total(), 0.01);
  EXPECT_EQ(all.of_every_round().rate, 1);  // nothing is amplified
  const Claim claim = make_claim(f.plan, 0.05, {15, 15});
  EXPECT_EQ(claim.record.dp_claim, "accounted") << claim.sentence;
  EXPECT_NE(claim.sentence.find("over the " + std::to_string(most) +
                                " contacts of the client with the most contacts (settings and "
                                "seed determine all contacts)"),
            std::string::npos)
      << claim.sentence;
  EXPECT_EQ(claim.spent(0), 0);
  for (std::size_t step = 1; step <= 40; ++step)
    EXPECT_GE(claim.spent(step), claim.spent(step - 1));
  EXPECT_EQ(claim.spent(40), claim.record.epsilon);
}

// Where clients report on their own, the last message of a client may still wait when the run ends.
TEST(TimedPrivacy, AMessageThatWaitsIsNamed) {
  const auto sentence = [](const Words& words) {
    Federation f(tiny_experiment, with(words, with(bounded, {"privacy.sigma=0.05"})));
    return make_claim(f.plan, 0.05, {15, 15}).sentence;
  };
  const char* waits = "; a message sent but not used by the last server step is not counted";
  for (const char* method : {"method=fedbuff", "method=fedasync", "method=fedcompass"})
    EXPECT_NE(sentence({method}).find(waits), std::string::npos) << method;
  EXPECT_EQ(sentence(two_of_four).find(waits), std::string::npos);
}

TEST(TimedPrivacy, OtherCombinationsAreRefused) {
  struct Line {
    Words words;
    const char* sentence;
  };
  const Line lines[] = {
      {{"privacy.noise_at=server"}, "no theorem covers noise on their mean; choose client"},
      {{"privacy.view=V_aggregate"}, "clients' messages are covered one by one; choose V_server"},
      {{"bound.kind=clip-record"}, "only a bound of clients covers their sum"},
      {{"clock.time=real"}, "not known beforehand, so no claim can be made"},
      {{"privacy.relation=add_remove"}, "a client that is absent adds no noise"},
  };
  for (const Line& line : lines) {
    const Words words = with(with(two_of_four, bounded), line.words);
    const std::string said = testing::refusal([&] { Federation(tiny_experiment, words); });
    EXPECT_NE(said.find(line.sentence), std::string::npos) << said;
  }
}

// Who takes part is drawn from the seed whatever the noise comes from, and hides nothing. A client
// of QuAFL keeps a model without noise.
TEST(TimedPrivacy, TheFileTellsWhatIsNotCovered) {
  const Words secret =
      with(with(two_of_four, bounded), {"privacy.sigma=0.05", "privacy.rng=chacha20"});
  EXPECT_FALSE(Federation(tiny_experiment, secret).plan.draws_secretly());
  for (const char* method : {"favano", "quafl"}) {
    Federation f(tiny_experiment, with(with(two_of_four, bounded),
                                       {std::string("method=") + method, "privacy.sigma=0.05"}));
    const PrivacyRecord record = make_claim(f.plan, 0.05, {15, 15}).record;
    const bool keeps = std::string(method) == "quafl";
    EXPECT_EQ(record.contains_private_model.find("checkpoints") != std::string::npos, keeps);
    EXPECT_EQ(join(record.releases_outside, "; ").find("distances of the clients' models") !=
                  std::string::npos,
              keeps);
  }
}

// So are the rounds of an extended run, which has more contacts.
TEST(TimedPrivacy, MoreStepsAreMoreContacts) {
  Words words = with(with(two_of_four, bounded), {"privacy.sigma=0.05"});
  Federation few(tiny_experiment, words);
  words.emplace_back("rounds=80");
  Federation many(tiny_experiment, words);
  EXPECT_GT(many.plan.contacts_after.back(), few.plan.contacts_after.back());
  EXPECT_EQ(many.plan.contacts_after[40], few.plan.contacts_after.back());
  EXPECT_NE(testing::refusal([&] {
              words.emplace_back("rounds=20000000");
              Federation(tiny_experiment, words);
            }).find("server steps, whose contacts the claim counts"),
            std::string::npos);
}

// In the last step of server.output = mean a bound would fall on other vectors than before.
TEST(TimedPrivacy, TheMeanOfAllModelsHasNoBoundAndNoRealTime) {
  Words words = with(with(two_of_four, bounded), {"privacy.sigma=0.05", "server.output=mean"});
  testing::expect_parts(testing::refusal([&] { Federation(tiny_experiment, words); }),
                        {"server.output = 'mean'", "bound.kind = none"});
  words = with(two_of_four, {"clock.time=real", "server.output=mean"});
  testing::expect_parts(testing::refusal([&] { Federation(tiny_experiment, words); }),
                        {"server.output = 'mean'", "in real time", "clock.time = simulated"});
}

TEST(TimedPrivacy, WithoutABoundThereIsNoNoiseAndNoClaim) {
  Federation f(tiny_experiment, two_of_four);
  EXPECT_FALSE(f.plan.method.noise);
  EXPECT_EQ(make_claim(f.plan, 0, {15, 15}).record.dp_claim, "none");
}

}  // namespace
}  // namespace trilemma::timed_privacy_test
