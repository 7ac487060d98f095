// What rank 0 does with messages that are not numbers (src/federation/server_side.cpp).

#include "federation/server_side.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/federation.hpp"
#include "tests/support/stubs.hpp"

namespace trilemma::server_side_test {

using testing::Fixture;

constexpr std::size_t d = 37;  // not a multiple of the lanes of a sum

std::string failure(real value, std::size_t client, std::size_t coordinate) {
  std::vector<Vector> gradients(4, Vector(d, real{1}));
  gradients[client][coordinate] = value;
  testing::GivenEstimator given(gradients);
  Fixture fixture(given, 4, d, {});
  try {
    fixture.direction(6, Vector(d, real{0}));
  } catch (const RunFailure& error) {
    return error.what();
  }
  return "";
}

TEST(ServerSide, AMessageThatIsNotFiniteNamesRoundAndClient) {
  for (const real value :
       {std::numeric_limits<real>::quiet_NaN(), std::numeric_limits<real>::infinity(),
        -std::numeric_limits<real>::infinity()})
    for (const std::size_t coordinate : {std::size_t{0}, d - 1})
      for (std::size_t client = 0; client < 4; ++client)
        EXPECT_EQ(failure(value, client, coordinate)
                      .rfind("round 7: the message of client " + std::to_string(client) + " ", 0),
                  0U)
            << value << ' ' << coordinate << ' ' << client;
}

TEST(ServerSide, LargeNumbersPass) { EXPECT_EQ(failure(real{1e30F}, 2, 5), ""); }

}  // namespace trilemma::server_side_test
