// Claims of central methods, of SPIDER and of a random last round against compositions that are
// written down from the statements of the methods.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "claim/theorems.hpp"
#include "experiment/claim.hpp"
#include "experiment/read_plan.hpp"
#include "tests/support/refusal.hpp"

namespace trilemma::central_claim_test {

using accounting::Composition;
using accounting::Relation;
using accounting::Sampling;
using Words = std::vector<std::string>;

constexpr const char* experiment = R"(
clients = 10
rounds = 60
[data]
rows = 5000
features = 15
[local]
batch = 25
[bound]
threshold = 0.5
[privacy]
delta = 1e-5
)";
constexpr std::size_t records = 500;  // m

Plan plan(const Words& words) {
  return read_plan(Settings::from_text(experiment, "e.toml", words));
}
Claim claim(const Words& words) {
  const Plan p = plan(words);
  return make_claim(p, noise_sigma(p, records), records);
}

// Releases of a record drawn with probability `rate`, at distance 1, with noise `z`, `steps` times.
struct Part {
  double rate, z, steps;
};

// Laws of privacy losses on a grid of width h, composed by Fourier transforms; written for this
// test, so that nothing is shared with the accountants.
class Losses {
 public:
  using Complex = std::complex<double>;
  static constexpr std::size_t size = 1U << 16U;
  static constexpr double h = 1e-3;

  // The first law is the mixture (1-q) N(0, z^2) + q N(1, z^2), the second N(0, z^2), or reversed.
  Losses(const std::vector<Part>& parts, bool reversed) : spectrum_(size, 1.0) {
    for (const Part& part : parts) {
      std::vector<Complex> mass(size, 0.0);
      const double step = part.z / 2000, root = std::sqrt(2 * std::numbers::pi);
      for (double x = -12 * part.z; x < 1 + 12 * part.z; x += step) {
        const auto normal = [&](double mean) {
          return std::exp(-(x - mean) * (x - mean) / (2 * part.z * part.z)) / (part.z * root);
        };
        const double shifted = std::exp((2 * x - 1) / (2 * part.z * part.z));
        const double loss = std::log(1 - part.rate + part.rate * shifted) * (reversed ? -1 : 1);
        const double first =
            reversed ? normal(0) : (1 - part.rate) * normal(0) + part.rate * normal(1);
        const auto bin = static_cast<long>(std::lround(loss / h)) + static_cast<long>(size);
        mass[static_cast<std::size_t>(bin) % size] += first * step;
      }
      transform(mass, false);
      for (std::size_t w = 0; w < size; ++w) spectrum_[w] *= std::pow(mass[w], part.steps);
    }
    transform(spectrum_, true);
  }
  // sum over l > epsilon of p(l) (1 - e^(epsilon - l))
  double delta(double epsilon) const {
    double sum = 0;
    for (std::size_t i = 0; i < size / 2; ++i) {
      const double loss = static_cast<double>(i) * h;
      if (loss > epsilon)
        sum += spectrum_[i].real() / static_cast<double>(size) * -std::expm1(epsilon - loss);
    }
    return sum;
  }

 private:
  static void transform(std::vector<Complex>& a, bool inverse) {
    for (std::size_t i = 1, j = 0; i < size; ++i) {
      std::size_t bit = size >> 1U;
      for (; (j & bit) != 0; bit >>= 1U) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(a[i], a[j]);
    }
    for (std::size_t length = 2; length <= size; length *= 2) {
      const double angle = 2 * std::numbers::pi / static_cast<double>(length) * (inverse ? 1 : -1);
      for (std::size_t k = 0; k < length / 2; ++k) {
        const Complex w = std::polar(1.0, angle * static_cast<double>(k));
        for (std::size_t i = k; i < size; i += length) {
          const Complex u = a[i], v = a[i + length / 2] * w;
          a[i] = u + v;
          a[i + length / 2] = u - v;
        }
      }
    }
  }
  std::vector<Complex> spectrum_;
};

double delta_by_hand(const std::vector<Part>& parts, double epsilon) {
  return std::max(Losses(parts, false).delta(epsilon), Losses(parts, true).delta(epsilon));
}

double epsilon_by_hand(const std::vector<Part>& parts) {
  const Losses remove(parts, false), add(parts, true);
  double low = 0, high = 20;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (std::max(remove.delta(middle), add.delta(middle)) > 1e-5 ? low : high) = middle;
  }
  return high;
}

// Compares a claimed epsilon with that of a composition written by hand; the grid of the latter
// rounds every loss by up to h / 2.
void expect_epsilon(const Words& words, const std::vector<Part>& by_hand) {
  const Claim found = claim(words);
  ASSERT_EQ(found.record.dp_claim, "accounted") << words[0] << found.sentence;
  EXPECT_NEAR(found.record.epsilon / epsilon_by_hand(by_hand), 1, 5e-3) << words[0];
}

// z = sigma n b / G at rate b / m, T rounds.
TEST(CentralClaim, DpSgd) {
  const double z = 0.0025 * 10 * 25 / 0.5;
  expect_epsilon({"method=dp-sgd", "privacy.sigma=0.0025"}, {{0.05, z, 60}});
  const Claim found = claim({"method=dp-sgd", "privacy.sigma=0.0025"});
  testing::expect_parts(found.sentence, {"holds:", "record", "if the server is trusted"});
  EXPECT_EQ(found.record.view, "V_aggregate");
  EXPECT_EQ(found.record.noise_place, "server");
  EXPECT_EQ(found.record.aggregation, "simulated_trusted");
  EXPECT_NEAR(found.record.noise_multiplier, z, 1e-12);
  EXPECT_EQ(found.record.units_most, 5000);
}

// One node is clients = 1: z = sigma b / G at rate b / N.
TEST(CentralClaim, OneNode) {
  const Plan p = plan({"method=dp-sgd", "privacy.sigma=0.025", "clients=1"});
  const Releases found = releases(p, 5000);
  EXPECT_DOUBLE_EQ(found.of_every_round().sensitivity.sampled, 0.5 / 25);
  EXPECT_DOUBLE_EQ(found.of_every_round().rate, 25.0 / 5000);
}

// A Gaussian mechanism: mu = sqrt(T) G / (n m sigma).
TEST(CentralClaim, DpGd) {
  const Claim found = claim({"method=dp-gd", "privacy.sigma=0.0005"});
  const double mu = std::sqrt(60.0) * 0.5 / (10 * 500 * 0.0005);
  const double epsilon = found.record.epsilon;
  const auto normal = [](double t) { return std::erfc(-t / std::sqrt(2.0)) / 2; };
  EXPECT_NEAR(normal(mu / 2 - epsilon / mu) - std::exp(epsilon) * normal(-mu / 2 - epsilon / mu),
              1e-5, 1e-9);
}

// {Poisson b_0 / m, z, 1} and {Poisson b / m, z, T - 1}; the noise of later rounds is (2-a) b_0 / b
// times that of the first.
TEST(CentralClaim, DpSrm) {
  const double z = 0.0006 * 10 * 100 / 0.5;
  for (const char* method : {"method=dp-srm", "method=dp-srm-distributed"})
    for (const char* weight : {"local.fresh=0.1", "local.fresh=1"})
      expect_epsilon({method, "privacy.sigma=0.0006", "local.anchor_batch=100", weight},
                     {{0.2, z, 1}, {0.05, z, 59}});
}

// Anchors in rounds 0, 8, ..., 56: 8 of 60.
TEST(CentralClaim, LdpSpider) {
  const double z = 0.006 * 100 / 0.5;
  for (const char* lipschitz : {"local.lipschitz=none", "local.lipschitz=0.3"})
    expect_epsilon(
        {"method=ldp-spider", "privacy.sigma=0.006", "local.anchor_batch=100", lipschitz},
        {{0.2, z, 8}, {0.05, z, 52}});
  testing::expect_parts(claim({"method=ldp-spider", "privacy.sigma=0.02"}).sentence,
                        {"holds:", "sees every message"});
}

// s_1 = G sqrt(16 (T/q0) l) / (m eps), and differences have C/G sqrt(q0) times that: z_2 / z_1 =
// sqrt(q0) b / b_1.
TEST(CentralClaim, LdpSpiderByItsClosedForm) {
  const Plan p = plan({"method=ldp-spider", "privacy.epsilon=1", "privacy.calibration=paper",
                       "local.anchor_batch=100"});
  const double sigma = noise_sigma(p, records);
  EXPECT_NEAR(sigma, 0.5 * std::sqrt(16 * 60 / 8.0 * std::log(1e5)) / 500, 1e-9);
  const Releases found = releases(p, records);
  ASSERT_EQ(found.list.size(), 2U);
  const double hat = std::sqrt(64 * 60 * std::log(1e5)) * 0.5 / 500;
  EXPECT_NEAR(found.list[1].noise * sigma, hat, 1e-9);
}

// The search puts no more noise into the estimate than equal multipliers, and keeps the epsilon.
TEST(CentralClaim, TheSearchForTheSplit) {
  const Words words{"method=ldp-spider", "privacy.epsilon=1", "local.anchor_batch=100",
                    "local.lipschitz=0.3", "local.split=search"};
  const Plan searched = plan(words);
  const Plan equal = plan({words.begin(), words.end() - 1});
  const auto noise = [](const Plan& p) {
    const double one = noise_sigma(p, records), later = later_noise(p, records);
    const double reach = 2 * std::min(1.0, 0.3 * 0.3 / 2);
    return one * one * (1 + 3.5 * later * later * reach * reach);
  };
  EXPECT_LT(noise(searched), noise(equal));
  const Claim found = make_claim(searched, noise_sigma(searched, records), records);
  EXPECT_EQ(found.record.dp_claim, "accounted");
  EXPECT_LE(found.record.epsilon, 1);
  EXPECT_GT(found.record.epsilon, 0.99);
  EXPECT_DOUBLE_EQ(later_noise(equal, records), 4);
  EXPECT_NE(later_noise(searched, records), 4);
}

// sum_k P(R = k) delta_k(epsilon) = delta, k = 0, ..., T - 1, by both ways to draw.
TEST(CentralClaim, RandomRound) {
  for (const bool is_fixed : {false, true}) {
    Words words{"method=rrpsgd", "privacy.sigma=0.0025", "rounds=20"};
    if (is_fixed) words.emplace_back("local.sampling=without-replacement");
    const Claim found = claim(words);
    ASSERT_EQ(found.record.dp_claim, "accounted") << found.sentence;
    EXPECT_EQ(found.record.view, "V_output");
    EXPECT_EQ(found.record.relation, is_fixed ? "replace_one" : "add_remove");
    testing::expect_parts(found.sentence, {"the last model only", "recorded metrics"});
    testing::expect_parts(found.record.releases_outside.front(), {"/rounds before the last row"});
    // A replaced record moves the mean by twice the bound.
    const double z = 0.0025 * 10 * 25 / 0.5 / (is_fixed ? 2 : 1);
    const auto mean = [&](double epsilon) {
      double sum = 0;
      for (int k = 1; k < 20; ++k)
        sum += delta_by_hand({{0.05, z, static_cast<double>(k)}}, epsilon) / 20;
      return sum;
    };
    EXPECT_LT(found.record.epsilon, epsilon_by_hand({{0.05, z, 20}}) * 0.99);
    EXPECT_LE(mean(found.record.epsilon * 1.005), 1e-5);
    EXPECT_GE(mean(found.record.epsilon * 0.96), 1e-5);
    EXPECT_LE(found.record.epsilon_lower, found.record.epsilon);
  }
  // Whoever sees all models: all rounds.
  expect_epsilon({"method=rrpsgd", "privacy.sigma=0.0025", "privacy.view=V_aggregate"},
                 {{0.05, 1.25, 60}});
}

TEST(CentralClaim, NoiseIsFoundForAnEpsilon) {
  for (const char* method : {"dp-sgd", "dp-gd", "rrpsgd", "dp-srm", "ldp-spider"}) {
    const Claim found = claim({std::string("method=") + method, "privacy.epsilon=1"});
    EXPECT_EQ(found.record.dp_claim, "accounted") << method << found.sentence;
    EXPECT_LE(found.record.epsilon, 1) << method;
    EXPECT_GT(found.record.epsilon, 0.99) << method;
    ASSERT_TRUE(found.curve) << method;
    EXPECT_EQ(found.curve->at(0), 0);
    EXPECT_EQ(found.curve->at(60), found.record.epsilon) << method;
    for (std::size_t t = 1; t <= 60; ++t) EXPECT_GE(found.curve->at(t), found.curve->at(t - 1));
  }
}

// After any number of rounds of SPIDER the curve is an upper bound, at most one chosen round late.
TEST(CentralClaim, TheCurveOfRoundsThatDiffer) {
  const Claim found = claim({"method=ldp-spider", "privacy.sigma=0.006", "local.anchor_batch=100"});
  for (const double t : {1.0, 2.0, 9.0, 33.0}) {
    const double anchors = std::ceil(t / 8);
    Composition part{Relation::add_remove, {{Sampling::poisson, 0.2, 1.2, anchors}}};
    if (t > anchors) part.components.push_back({Sampling::poisson, 0.05, 1.2, t - anchors});
    const double least = accounting::epsilon(part, 1e-5).lower;
    const double curve = found.curve->at(static_cast<std::size_t>(t));
    EXPECT_GE(curve, least * (1 - 1e-6)) << t;
    EXPECT_LE(curve, least * 1.5) << t;
  }
}

// sigma of the closed forms: 8 for SGD on N = n m records; 32 log(N / delta) for a random round.
TEST(CentralClaim, ClosedForms) {
  const auto sigma = [](const char* method) {
    const Plan p =
        plan({std::string("method=") + method, "privacy.epsilon=1", "privacy.calibration=paper"});
    return noise_sigma(p, records);
  };
  EXPECT_NEAR(sigma("dp-sgd"), 0.5 * std::sqrt(8 * 60 * std::log(1e5)) / 5000, 1e-9);
  EXPECT_NEAR(sigma("rrpsgd"),
              0.5 * std::sqrt(32 * 60 * std::log(1e5) * std::log(5000 / 1e-5)) / 5000, 1e-9);
}

TEST(CentralClaim, BadSettingsAreOneSentence) {
  const auto refused = [](const Words& words, const Words& parts) {
    Words all{"privacy.sigma=0.1"};
    all.insert(all.end(), words.begin(), words.end());
    testing::expect_parts(testing::refusal([&] { plan(all); }), parts);
  };
  refused({"method=dp-sgd", "privacy.noise_at=client"}, {"noise_at", "trusted server", "ldp-sgd"});
  refused({"method=ldp-sgd", "privacy.noise_at=server"}, {"noise_at", "dp-sgd"});
  refused({"method=dp-sgd", "privacy.view=V_server"}, {"view", "without noise"});
  refused({"method=dp-sgd", "privacy.view=V_output"}, {"view", "rrpsgd"});
  refused({"method=dp-srm", "participation.kind=poisson"}, {"participation.kind", "choose full"});
  refused({"method=ldp-spider", "participation.kind=poisson"}, {"successive models"});
  refused({"method=ldp-spider", "local.anchor_batch=501"}, {"local.anchor_batch", "500"});
  refused({"method=ldp-spider", "local.split=search"}, {"local.split", "privacy.epsilon"});
  refused({"method=dp-srm", "local.fresh=0"}, {"local.fresh"});
  refused({"method=ldp-spider", "local.period=0"}, {"local.period"});
  refused({"method=ldp-spider", "local.lipschitz=-1"}, {"local.lipschitz"});
  refused({"method=rrpsgd", "server.rate=1", "server.smoothness=2"}, {"smoothness", "less than 2"});
  refused(
      {"method=rrpsgd", "privacy.strict=true", "privacy.view=V_output", "partition.kind=shuffled"},
      {"strict", "V_aggregate"});
}

// delta must be below one over all records, since the server's mean is over all.
TEST(CentralClaim, AllRecordsDecideAboutDelta) {
  testing::expect_parts(
      claim({"method=dp-sgd", "privacy.sigma=0.1", "privacy.delta=3e-4"}).sentence,
      {"not a private run", "1/N", "5000"});
  EXPECT_EQ(claim({"method=ldp-sgd", "privacy.sigma=0.1", "privacy.delta=3e-4"}).record.dp_claim,
            "accounted");
}

}  // namespace trilemma::central_claim_test
