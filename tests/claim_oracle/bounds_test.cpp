// Every bound of clients on vectors that no client would send: what leaves it is never longer than
// its threshold, and never anything but numbers.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privacy/bound.hpp"

namespace trilemma::claims::bounds_test {

std::vector<Vector> hostile_vectors() {
  constexpr real most = std::numeric_limits<real>::max();
  constexpr real inf = std::numeric_limits<real>::infinity();
  constexpr real nan = std::numeric_limits<real>::quiet_NaN();
  constexpr real least = std::numeric_limits<real>::denorm_min();
  return {{nan, 5, 7},   {1, nan, 1e30F}, {inf, 1, 1},       {-inf, inf, 0}, {most, most, -most},
          {nan, nan, 1}, {most, 1, 0},    {least, 0, least}, {inf, nan, 3},  {0, 0, 0}};
}

TEST(ClaimBounds, NothingLeavesThemLongerThanTheThreshold) {
  int seen = 0;
  for (const auto& row : bounds()) {
    Settings settings = Settings::from_text("threshold = 0.5", "bound.toml");
    const auto bound = row.make(settings);
    if (bound->what() != Bounds::client) continue;
    ++seen;
    for (const Vector& given : hostile_vectors()) {
      Vector u = given;
      bound->apply(u);
      double norm = 0;
      for (const real x : u) norm = std::hypot(norm, static_cast<double>(x));
      EXPECT_LE(norm, 0.5 * (1 + 1e-6))
          << row.name << " of " << given[0] << " " << given[1] << " " << given[2];
    }
  }
  EXPECT_GE(seen, 3);
}

}  // namespace trilemma::claims::bounds_test
