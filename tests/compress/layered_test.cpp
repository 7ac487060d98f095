// The shifted layered quantiser (src/compress/layered.hpp): the law of its error, and its sizes
// (joint mechanisms, section 7 of the specification).

#include "compress/layered.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compress/receiver.hpp"

namespace trilemma::layered_test {

constexpr double sigma = 0.25;

// The decoded vector, after a way through bytes. Returns the bits too.
struct Decoded {
  Vector value;
  std::uint64_t bits;
};
Decoded decoded(const LayeredTask& task, const Vector& x, const Key& key) {
  const auto sender = make_layered(task), other_end = make_layered(task);
  Message message;
  sender->compress(x, key, message);
  const Layout layout = sender->layout();
  const Measure measured = measure(layout, message);
  Bytes bytes(measured.bytes());
  encode(layout, message, measured, bytes);
  Receiver receiver(*other_end);
  const SparseView found = receiver.open(bytes, key);
  EXPECT_TRUE(found.at.is_all());
  EXPECT_EQ(receiver.bits(), measured.bits);
  EXPECT_EQ(message.entries(), measured.bits);
  EXPECT_EQ(layout.model_bits(32, message.entries()), static_cast<double>(measured.bits));
  const auto own = sender->expand(message).value;
  EXPECT_TRUE(std::ranges::equal(own, found.value));
  return {Vector(found.value.begin(), found.value.end()), measured.bits};
}

double normal_cdf(double t) { return std::erfc(-t * std::sqrt(0.5)) / 2; }

// Kolmogorov's distance of the errors from N(0, sigma^2).
double distance(std::vector<double> errors) {
  std::ranges::sort(errors);
  const auto n = static_cast<double>(errors.size());
  double most = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double at = normal_cdf(errors[i] / sigma);
    most = std::max({most, at - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - at});
  }
  return most;
}

TEST(Layered, TheErrorIsNormalWhateverTheVector) {
  constexpr std::size_t d = 60'000;
  // P[distance > t] < 2 exp(-2 n t^2) = 1e-6 (Massart 1990).
  const double limit = std::sqrt(std::log(2e6) / (2 * double{d}));
  for (const double c : {0.1, 1.0, 10.0})
    for (const double share : {-1.0, -0.3, 0.0, 0.77, 1.0}) {
      const Vector x(d, static_cast<real>(share * c * sigma));
      const auto found = decoded({d, c * sigma, sigma}, x, {11, Purpose::mask, 3, 2}).value;
      std::vector<double> errors(d);
      for (std::size_t j = 0; j < d; ++j)
        errors[j] = static_cast<double>(found[j]) - static_cast<double>(x[j]);
      EXPECT_LT(distance(errors), limit) << c << ", " << share;
    }
}

TEST(Layered, NeighbouringCoordinatesAndClientsHaveErrorsOfTheirOwn) {
  constexpr std::size_t d = 40'000;
  const Vector x(d, real{0.1});
  const auto error = [&](const Key& key) { return decoded({d, 1, sigma}, x, key).value; };
  const Vector one = error({11, Purpose::mask, 3, 2}), other = error({11, Purpose::mask, 4, 2}),
               later = error({11, Purpose::mask, 3, 3});
  double lagged = 0, between = 0, across = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const auto at = [j](const Vector& v, std::size_t lag) {
      return (static_cast<double>(v[(j + lag) % d]) - 0.1) / sigma;
    };
    lagged += at(one, 0) * at(one, 1);
    between += at(one, 0) * at(other, 0);
    across += at(one, 0) * at(later, 0);
  }
  for (const double sum : {lagged, between, across}) EXPECT_LT(std::abs(sum), 4 * std::sqrt(d));
}

TEST(Layered, CoordinatesAreClipped) {
  constexpr std::size_t d = 500;
  const LayeredTask task{d, 0.5, sigma};
  const Key key{11, Purpose::mask, 1, 1};
  EXPECT_EQ(decoded(task, Vector(d, real{3}), key).value,
            decoded(task, Vector(d, real{0.5}), key).value);
  EXPECT_EQ(decoded(task, Vector(d, real{-3}), key).value,
            decoded(task, Vector(d, real{-0.5}), key).value);
}

// Bits of a coordinate in the specification, by c / s.
TEST(Layered, SizesFollowFromTheRangeAndTheKeyAlone) {
  constexpr std::size_t d = 200'000;
  constexpr std::pair<double, double> rows[] = {
      {.1, .080}, {.5, .399}, {1, .798}, {3, 1.99}, {10, 3.81}};
  for (const auto& [c, bits] : rows) {
    const LayeredTask task{d, c * sigma, sigma};
    const Key key{11, Purpose::mask, 5, 9};
    const std::uint64_t found = decoded(task, Vector(d, real{0}), key).bits;
    // A coordinate's bits have a standard deviation of less than 0.6.
    const double error = (bits < 1 ? 5e-4 : 5e-3) + 4 * 0.6 / std::sqrt(double{d});
    EXPECT_NEAR(static_cast<double>(found) / d, bits, error) << c;
    EXPECT_EQ(decoded(task, Vector(d, static_cast<real>(c * sigma)), key).bits, found);
  }
}

TEST(Layered, RefusesOtherSizesAndValuesThatNoneHas) {
  const LayeredTask task{64, 10, sigma};
  const auto sender = make_layered(task);
  const Key key{11, Purpose::mask, 1, 1};
  Message message;
  sender->compress(Vector(64, real{0}), key, message);
  const Layout layout = sender->layout();
  const auto open = [&](const Message& sent, std::size_t more) {
    const Measure measured = measure(layout, sent);
    Bytes bytes(measured.bytes());
    encode(layout, sent, measured, bytes);
    bytes.resize(bytes.size() + more);
    Receiver receiver(*sender);
    receiver.open(bytes, key);
  };
  EXPECT_NO_THROW(open(message, 0));
  EXPECT_THROW(open(message, 1), RunFailure);
  std::ranges::fill(message.level, -1);
  EXPECT_THROW(open(message, 0), RunFailure);
  message.level.resize(message.level.size() - 9);
  EXPECT_THROW(open(message, 0), RunFailure);
}

}  // namespace trilemma::layered_test
