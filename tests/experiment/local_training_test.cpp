// Local training and additive personalisation in whole experiments (spec algorithms.md 4.3, 4.5 and
// 4.6).

#include <gtest/gtest.h>

#include "experiment/claim.hpp"
#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma {
namespace {

using testing::Federation;
using testing::tiny_experiment;
using Words = std::vector<std::string>;

Words with(const std::string& method, const Words& more) {
  Words words{"method=" + method, "local.steps=3", "local.rate=0.2",
              "participation.kind=fixed-size", "participation.size=2"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Vector own(const Federation& f, std::size_t slot) {
  Vector room;
  const ConstView model = f.parts.work->personal_model(slot, f.x(), room);
  return {model.begin(), model.end()};
}

TEST(LocalTraining, IsPmtlWithoutPullClientByClient) {
  for (const char* solver : {"local.solver=personal-gd", "local.solver=personal-sgd"}) {
    Federation local(tiny_experiment, with("local", {solver}));
    Federation pmtl(tiny_experiment, with("pmtl", {solver, "local.pull=0"}));
    const Vector start = local.x();
    for (int round = 0; round < 6; ++round) {
      EXPECT_TRUE(local.round().empty());
      pmtl.round();
      for (std::size_t slot = 0; slot < 4; ++slot) EXPECT_EQ(own(local, slot), own(pmtl, slot));
    }
    EXPECT_EQ(local.x(), start);
    EXPECT_NE(own(local, 0), start);
  }
}

TEST(LocalTraining, ClaimsThatNothingLeaves) {
  const Federation f(tiny_experiment, {"method=local"});
  const Claim claim = make_claim(f.plan, 0, 15, "none");
  EXPECT_EQ(claim.sentence.find("holds: nothing leaves a client"), 0U) << claim.sentence;
  EXPECT_EQ(claim.record.dp_claim, "nothing_released");
  EXPECT_FALSE(claim.curve.has_value());
}

TEST(LocalTraining, HasNoNoiseAndNoCompressor) {
  for (const char* word : {"privacy.sigma=1", "compressor.kind=rand-k", "server.rate=2"})
    testing::expect_parts(testing::refusal([&] {
                            Federation(tiny_experiment, {"method=local", word});
                          }),
                          {std::string(word).substr(0, std::string(word).find('='))});
}

}  // namespace
}  // namespace trilemma
