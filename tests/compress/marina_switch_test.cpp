// A compressor that sends everything by a coin (src/compress/marina_switch.cpp).

#include <gtest/gtest.h>

#include "compress/compressor.hpp"
#include "numeric/draws.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::marina_switch_test {
namespace {

constexpr std::size_t dimension = 40;

// Wide enough that the wire does not round.
constexpr auto format = testing::wide ? ValueFormat::float64 : ValueFormat::float32;

std::unique_ptr<Compressor> made(const char* kind, double probability) {
  return marina_switch(testing::make_compressor(kind, dimension, "", format), probability);
}

TEST(CommonCoin, AlwaysFallsAtFirstAndThenAsOftenAsItShould) {
  int fell = 0;
  for (std::uint32_t round = 1; round <= 10'000; ++round)
    fell += common_coin(5, round, 0.3) ? 1 : 0;
  EXPECT_TRUE(common_coin(5, 0, 1e-9));
  EXPECT_NEAR(fell, 3000, 5 * 46);
}

TEST(MarinaSwitch, SendsEverythingWhereTheCoinFalls) {
  const Vector z = testing::random_vector(dimension, 3);
  for (const char* kind : {"rand-k", "rand-seq-k", "perm-k", "bernoulli"}) {
    const auto compressor = made(kind, 0.4);
    const auto receiver = made(kind, 0.4);
    const auto other = testing::make_compressor(kind, dimension, "", format);
    for (std::uint32_t round = 0; round < 30; ++round) {
      const Key key{5, Purpose::mask, 2, round};
      Message sent;
      compressor->compress(z, key, sent);
      Message alone;
      other->compress(z, key, alone);
      const auto expected = common_coin(5, round, 0.4)
                                ? std::vector<double>(z.begin(), z.end())
                                : testing::dense(other->expand(alone), dimension);
      const Layout layout = compressor->layout();
      Bytes bytes(measure(layout, sent).bytes());
      encode(layout, sent, measure(layout, sent), bytes);
      Message got;
      decode(receiver->layout(), bytes, got);
      receiver->recall(key, got);
      EXPECT_EQ(testing::dense(receiver->expand(got), dimension), expected) << kind << ' ' << round;
    }
  }
}

TEST(MarinaSwitch, IsTheOtherWhereThatSendsEverything) {
  EXPECT_EQ(made("identity", 0.4)->description(),
            testing::make_compressor("identity", dimension, "", format)->description());
}

TEST(MarinaSwitch, RefusesWhatDependsOnTheVector) {
  for (const char* kind : {"qsgd", "top-k", "natural", "count-sketch"})
    EXPECT_NE(testing::refusal([&] { made(kind, 0.4); }).find("choose rand-k"), std::string::npos);
}

}  // namespace
}  // namespace trilemma::marina_switch_test
