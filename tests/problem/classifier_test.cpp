// Class probabilities and what goes back through them (src/problem/interfaces.hpp,
// cross_entropy.cpp; spec algorithms.md 4.4).

#include <gtest/gtest.h>

#include <cmath>

#include "problem/cross_entropy.hpp"
#include "problem/interfaces.hpp"
#include "tests/support/tiny_data.hpp"
#include "tests/support/tolerance.hpp"

namespace trilemma::classifier_test {

constexpr bool wide = std::is_same_v<real, double>;
constexpr double step = wide ? 1e-5 : 1e-2;
constexpr double tolerance = wide ? 1e-6 : 2e-2;

// p = (1/2, 1/2), q = (1/4, 3/4): the sum of both divergences is log(3) / 4.
TEST(SymmetrisedKl, ByHand) {
  const auto log3 = static_cast<real>(std::log(3.0));
  Vector errors(2);
  EXPECT_NEAR(symmetrised_kl(Vector{5, 5}, Vector{7, 7 + log3}, errors), std::log(3.0) / 4,
              20 * testing::rounding);
  EXPECT_EQ(symmetrised_kl(Vector{1, 2, 3}, Vector{1, 2, 3}, errors = Vector(3)), 0);
  EXPECT_EQ(errors, (Vector{0, 0, 0}));
}

TEST(SymmetrisedKl, DerivativeByTheLogits) {
  const Vector o = testing::random_vector(5, 1);
  const Vector reference = testing::random_vector(5, 2);
  Vector errors(5);
  symmetrised_kl(o, reference, errors);
  for (std::size_t c = 0; c < 5; ++c) {
    Vector unused(5);
    Vector up = o;
    Vector down = o;
    up[c] += static_cast<real>(step);
    down[c] -= static_cast<real>(step);
    const double slope =
        (symmetrised_kl(up, reference, unused) - symmetrised_kl(down, reference, unused)) /
        static_cast<double>(up[c] - down[c]);
    EXPECT_NEAR(errors[c], slope, tolerance) << c;
  }
}

class Classes : public ::testing::TestWithParam<const char*> {
 protected:
  Classes() { on_.problem->load(on_.shards[0], rows_, batch_); }
  Classifier& classifier() { return *on_.problem->as_classifier(); }
  // sum over records and classes of e o at x.
  double weighted(ConstView x, const Vector& e) {
    Vector o(e.size());
    classifier().logits(batch_, x, o);
    double sum = 0;
    for (std::size_t i = 0; i < e.size(); ++i)
      sum += static_cast<double>(e[i]) * static_cast<double>(o[i]);
    return sum;
  }

  testing::Case on_ = testing::make_case(GetParam(), 1, 8, 6, 3);
  std::vector<std::uint32_t> rows_ = testing::all_rows(8);
  Batch batch_;
};

TEST_P(Classes, BackpropagationIsTheDerivativeOfTheLogits) {
  const std::size_t d = on_.problem->dimension();
  const Vector x = testing::random_vector(d, 4, 0.5);
  const Vector e = testing::random_vector(8 * classifier().classes(), 5);
  Vector factors(8 * on_.problem->factors());
  classifier().backpropagate(batch_, x, e, factors);
  Vector gradient(d, real{0});
  on_.problem->accumulate(batch_, factors, 1, gradient);
  // A long step crosses kinks (ReLU, pooling).
  const bool has_kinks = !testing::wide && (std::string_view(GetParam()) == "cnn" ||
                                            std::string_view(GetParam()) == "layers");
  const double length = has_kinks ? 0.1 * step : step;
  const double near = has_kinks ? 10 * tolerance : tolerance;
  for (std::size_t j = 0; j < d; ++j) {
    Vector up = x;
    Vector down = x;
    up[j] += static_cast<real>(length);
    down[j] -= static_cast<real>(length);
    const double slope =
        (weighted(up, e) - weighted(down, e)) / static_cast<double>(up[j] - down[j]);
    EXPECT_NEAR(gradient[j], slope, near * std::max(1.0, std::abs(slope))) << j;
  }
}

// The loss of a record is minus the logarithm of its label's probability.
TEST_P(Classes, LogitsAreThoseOfTheLoss) {
  const Vector x = testing::random_vector(on_.problem->dimension(), 4, 0.5);
  const std::size_t c = classifier().classes();
  Vector o(8 * c);
  classifier().logits(batch_, x, o);
  double sum = 0;
  for (std::size_t r = 0; r < 8; ++r) {
    const auto label = on_.shards[0].label[r];
    const auto number = static_cast<std::size_t>(std::max(label, 0));
    sum += cross_entropy_errors(View(o).subspan(r * c, c), number, true);
  }
  Vector factors(8 * on_.problem->factors());
  EXPECT_NEAR(on_.problem->linearise(batch_, x, factors, true), sum, 200 * testing::rounding);
}

INSTANTIATE_TEST_SUITE_P(Problems, Classes,
                         ::testing::Values("logistic", "dense-logistic", "network", "images",
                                           "deep", "softmax", "cnn", "layers"));

TEST(Classifiers, RealTargetsHaveNoClasses) {
  EXPECT_EQ(testing::make_case("linear", 1, 4, 3, 1).problem->as_classifier(), nullptr);
}

}  // namespace trilemma::classifier_test
