// PrivUnit (src/privacy/privunit.hpp) against its formulas and external values (joint mechanisms,
// sections 5 and 10 of the specification).

#include "privacy/privunit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/statistics.hpp"
#include "tests/support/tiny_data.hpp"

namespace trilemma::privunit_test {

using accounting::best_cap;
using accounting::Cap;

TEST(PrivUnit, ExternalCaps) {
  struct Row {
    double epsilon, height, inside, mass, error;
  };
  for (const Row& row :
       {Row{1, .017783, .589483, .345660, 3161.36}, Row{4, .067737, .791469, .064998, 216.943},
        Row{8, .122269, .901770, .003070, 65.891}}) {
    const Cap cap = best_cap(500, row.epsilon);
    EXPECT_NEAR(cap.height, row.height, 2e-6) << row.epsilon;
    EXPECT_NEAR(cap.inside, row.inside, 2e-5) << row.epsilon;
    EXPECT_NEAR(cap.mass, row.mass, 2e-5) << row.epsilon;
    EXPECT_NEAR(1 / (cap.mean * cap.mean) - 1, row.error, 1e-5 * row.error) << row.epsilon;
    // At the optimum the mean is the height of the cap.
    EXPECT_NEAR(cap.mean, cap.height, 1e-6) << row.epsilon;
    const double ratio = cap.inside / cap.mass * (1 - cap.mass) / (1 - cap.inside);
    EXPECT_NEAR(std::log(ratio), row.epsilon, 1e-9);
  }
  EXPECT_NEAR(PrivUnit(1000, 1, best_cap(1000, 1)).error() / 500, 12.65, 0.005);
  EXPECT_NEAR(PrivUnit(1000, 1, best_cap(1000, 4)).error() / 500, 0.869, 0.0005);
}

// Half of all directions are beyond 0. In three dimensions heights are uniform, and in two P[<V,u>
// >= g] = acos(g) / pi.
TEST(PrivUnit, CapsByHand) {
  EXPECT_NEAR(accounting::cap_mass(3, 0.4), 0.3, 1e-15);
  EXPECT_NEAR(accounting::cap_mass(2, 0.4), std::acos(0.4) / M_PI, 1e-15);
  for (const double dimension : {2.0, 3.0, 50.0, 10000.0})
    for (const double mass : {1e-5, 0.01, 0.4999, 0.5, 0.7, 0.999999}) {
      const double t = accounting::cap_height(dimension, mass);
      const double back =
          t >= 0 ? accounting::cap_mass(dimension, t) : 1 - accounting::cap_mass(dimension, -t);
      EXPECT_NEAR(back, mass, 1e-6 * mass) << dimension;
    }
  EXPECT_THROW(best_cap(1, 1), std::invalid_argument);
  EXPECT_THROW(best_cap(10, 0), std::invalid_argument);
}

// P of u against -u: +epsilon with p, -epsilon with the mass of the other cap.
TEST(PrivUnit, PairOfOppositeDirections) {
  const Cap cap = best_cap(20, 3);
  const double zero = accounting::cap_pair(cap).zero;
  EXPECT_NEAR((1 - zero) / (1 + std::exp(-3)), cap.inside, 1e-12);
  EXPECT_NEAR((1 - zero) / (1 + std::exp(3)), (1 - cap.inside) * cap.mass / (1 - cap.mass), 1e-12);
}

struct Draws {
  testing::Sample error, along, across, inside;
  std::vector<double> height;  ///< <V,u>, for vectors of full length
};

Draws draw(const Vector& x, double norm, const Cap& cap, std::uint32_t count) {
  PrivUnit mechanism(x.size(), norm, cap);
  Draws draws;
  Vector out(x.size());
  double length = 0;
  for (const real value : x) length += static_cast<double>(value) * static_cast<double>(value);
  length = std::sqrt(length);
  for (std::uint32_t client = 0; client < count; ++client) {
    mechanism.encode(x, {3, Purpose::noise, client, 1}, out);
    double square = 0, product = 0, size = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double value = static_cast<double>(out[j]), mean = static_cast<double>(x[j]);
      square += (value - mean) * (value - mean);
      product += value * mean / length;
      size += value * value;
    }
    EXPECT_NEAR(std::sqrt(size), norm / cap.mean, 1e-5 * norm / cap.mean);
    const double t = product / std::sqrt(size);
    draws.error.add(square);
    draws.along.add(product);
    // A direction orthogonal to x.
    draws.across.add(static_cast<double>(out[0]) * static_cast<double>(x[1]) -
                     static_cast<double>(out[1]) * static_cast<double>(x[0]));
    draws.inside.add(t >= cap.height ? 1 : 0);
    draws.height.push_back(t);
  }
  return draws;
}

Vector vector_of(std::size_t dimension, double norm) {
  Vector x = testing::random_vector(dimension, 5);
  double square = 0;
  for (const real value : x) square += static_cast<double>(value) * static_cast<double>(value);
  for (real& value : x) value *= static_cast<real>(norm / std::sqrt(square));
  return x;
}

TEST(PrivUnit, MessagesAreUnbiasedWithTheErrorOfTheFormula) {
  for (const double epsilon : {1.0, 4.0}) {
    const Cap cap = best_cap(40, epsilon);
    const Draws draws = draw(vector_of(40, 2), 2, cap, 40'000);
    const double expected = PrivUnit(40, 2, cap).error();
    EXPECT_NEAR(draws.error.mean(), expected, 0.02 * expected) << epsilon;
    EXPECT_NEAR(draws.along.mean(), 2, 4 * draws.along.error()) << epsilon;
    EXPECT_NEAR(draws.across.mean(), 0, 4 * draws.across.error()) << epsilon;
    EXPECT_NEAR(draws.inside.mean(), cap.inside, 4 * draws.inside.error()) << epsilon;
  }
}

// Kolmogorov's distance of <V,u> from p times the law in the cap plus 1 - p times that outside, at
// level 1e-6.
TEST(PrivUnit, HeightsHaveTheirLaw) {
  const Cap cap = best_cap(5, 2);
  Draws draws = draw(vector_of(5, 2), 2, cap, 20'000);
  std::ranges::sort(draws.height);
  const auto law = [&](double t) {
    const double beyond = t >= 0 ? accounting::cap_mass(5, t) : 1 - accounting::cap_mass(5, -t);
    return t >= cap.height ? 1 - cap.inside * beyond / cap.mass
                           : (1 - cap.inside) * (1 - beyond) / (1 - cap.mass);
  };
  double distance = 0;
  const auto count = static_cast<double>(draws.height.size());
  for (std::size_t i = 0; i < draws.height.size(); ++i)
    distance =
        std::max(distance, std::abs(law(draws.height[i]) - (static_cast<double>(i) + 0.5) / count));
  EXPECT_LE(distance, std::sqrt(std::log(2e6) / 2 / count) + 1 / count);
}

// Shorter vectors change their sign more often, and zero has no direction.
TEST(PrivUnit, ShortVectorsAreUnbiasedToo) {
  const Cap cap = best_cap(10, 3);
  const Draws draws = draw(vector_of(10, 0.5), 2, cap, 20'000);
  EXPECT_NEAR(draws.along.mean(), 0.5, 4 * draws.along.error());
  PrivUnit mechanism(10, 2, cap);
  std::vector<testing::Sample> means(10);
  Vector out(10);
  for (std::uint32_t client = 0; client < 5000; ++client) {
    mechanism.encode(Vector(10), {3, Purpose::noise, client, 1}, out);
    for (std::size_t j = 0; j < 10; ++j) means[j].add(static_cast<double>(out[j]));
  }
  for (const auto& mean : means) EXPECT_NEAR(mean.mean(), 0, 4 * mean.error());
}

TEST(PrivUnit, MessagesAreAddressed) {
  const Cap cap = best_cap(30, 3);
  PrivUnit one(30, 2, cap), other(30, 2, cap);
  const Vector x = vector_of(30, 2);
  Vector first(30), again(30), next(30);
  one.encode(Vector(30), {3, Purpose::noise, 1, 1}, next);
  one.encode(x, {3, Purpose::noise, 2, 1}, first);
  other.encode(x, {3, Purpose::noise, 2, 1}, again);
  one.encode(x, {3, Purpose::noise, 3, 1}, next);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, next);
}

}  // namespace trilemma::privunit_test
