// A compressed downlink (src/exchange/compressed_down.cpp) in whole experiments.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/federation.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::compressed_down_test {

using testing::Federation;
using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
const Words descent{"method=compressed-gd", "compressor.kind=identity", "server.rate=0.1",
                    "problem.lambda=0.2"};

double distance(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += std::pow(a[j] - b[j], 2);
  return std::sqrt(sum);
}

// Where the model rests its copy does too, so that all end where uncompressed descent ends.
TEST(CompressedDown, EndsWhereDescentEnds) {
  Federation plain(testing::tiny_experiment, descent);
  plain.run(2000);
  for (const char* kind : {"identity", "natural", "top-k", "rand-k", "qsgd", "sign"}) {
    Words words = with(descent, {"exchange.down=compressed", std::string("downlink.kind=") + kind});
    if (std::string(kind).ends_with("-k")) words.emplace_back("downlink.k=6");
    Federation f(testing::tiny_experiment, words);
    f.run(2);
    EXPECT_GT(distance(f.x(), plain.x()), 0.01) << kind;
    f.run(4000);
    EXPECT_LT(distance(f.x(), plain.x()), 1e-3) << kind;
  }
}

// d = 16: of top-k with k = 3 a message has 3 values and 2 + 3 * 4 bits of coordinates at most, and
// all 4 clients get it, also those that are away.
TEST(CompressedDown, BitsByHand) {
  Federation f(testing::tiny_experiment,
               with(descent, {"exchange.down=compressed", "downlink.kind=top-k", "downlink.k=3",
                              "downlink.index=fixed", "participation.kind=fixed-size",
                              "participation.size=2"}));
  f.run(5);
  EXPECT_EQ(f.noted().count("bits_down_payload"), 5 * 4 * 3 * (32 + 4));
  EXPECT_EQ(f.noted().count("bits_down_model"), 5 * 4 * 3 * 32);
}

// In the first round the copy is the model.
TEST(CompressedDown, TheFirstRoundIsThePlainOne) {
  Federation plain(testing::tiny_experiment, descent);
  Federation f(testing::tiny_experiment, with(descent, {"exchange.down=compressed"}));
  plain.run(1);
  f.run(1);
  EXPECT_EQ(f.x(), plain.x());
}

// 16 values of 9 bits for each of the 2 that take part, and both ends at powers of two.
TEST(DirectDown, BitsAndModelByHand) {
  Federation f(testing::tiny_experiment,
               with(descent, {"exchange.down=direct", "downlink.kind=natural",
                              "participation.kind=fixed-size", "participation.size=2"}));
  f.run(5);
  EXPECT_EQ(f.noted().count("bits_down_payload"), 5 * 2 * 16 * 9);
}

// What a lattice leaves of the model does not depend on how far it has come.
TEST(DirectDown, OfALatticeEndsNearWhereDescentEnds) {
  Federation plain(testing::tiny_experiment, descent);
  plain.run(2000);
  Federation f(testing::tiny_experiment,
               with(descent, {"exchange.down=direct", "downlink.kind=lattice",
                              "downlink.step=0.001", "downlink.bits=10"}));
  f.run(2000);
  EXPECT_GT(distance(f.x(), plain.x()), 1e-6);
  EXPECT_LT(distance(f.x(), plain.x()), 1e-3);
}

TEST(DirectDown, RefusesWhatWouldLosePartsOfTheModel) {
  EXPECT_NE(testing::refusal([] {
              Federation f(testing::tiny_experiment,
                           with(descent, {"exchange.down=direct", "downlink.kind=top-k"}));
            }).find("biased"),
            std::string::npos);
}

TEST(CompressedDown, IsRefusedWhereClientsGetModelsOfTheirOwn) {
  for (const char* method : {"naive-dp-mtl", "local"})
    EXPECT_NE(testing::refusal([&] {
                Federation f(testing::tiny_experiment,
                             {std::string("method=") + method, "exchange.down=compressed"});
              }).find("do not all get the same model"),
              std::string::npos)
        << method;
}

}  // namespace trilemma::compressed_down_test
