#pragma once
// Noise as the server gets it, and checks with one common bound on false alarms.
//
// Nothing is estimated: the law is N(0, sigma^2) with the sigma that was asked for. Every check has
// a p-value and fails below `level`; with at most `checks` of them a right program would fail
// anywhere with probability `family_wise` (Bonferroni) for a fresh seed. Seeds are fixed, so
// results never change. A run of all noise tests in one process counts the checks.

#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <string>

#include "comm/ranks.hpp"
#include "exchange/uplink.hpp"
#include "federation/assembly.hpp"

namespace trilemma::testing {

inline constexpr double family_wise = 1e-6;
inline constexpr std::size_t checks = 4096;
inline constexpr double level = family_wise / static_cast<double>(checks);

/// The one check: `p` is the probability of an outcome as odd as this one.
void expect_p(double p, const std::string& what);

/// Of values that have mean 0 and variance 1 by hypothesis.
struct Moments {
  double count = 0, sum = 0, squares = 0;

  void add(double z) {
    ++count;
    sum += z;
    squares += z * z;
  }
  void add(std::span<const double> z) {
    for (const double value : z) add(value);
  }
};
/// The mean square against 1: chi-square law, exact for normal values. For others E z^4 gives the
/// degrees of freedom with the right variance (Satterthwaite).
void expect_variance(const Moments& found, const std::string& what, double fourth_moment = 3);
/// A sum of `count` uncorrelated terms of mean 0 and variance 1 against 0: normal law.
void expect_uncorrelated(double sum, double count, const std::string& what);
/// The mean against 0, which is the same.
inline void expect_location(const Moments& found, const std::string& what) {
  expect_uncorrelated(found.sum, found.count, what + ": mean");
}
/// A number of successes against Binomial(trials, p), both tails exact.
void expect_count(double found, double trials, double p, const std::string& what);
/// Kolmogorov-Smirnov: `u` is uniform on (0, 1) by hypothesis. Massart's constant in the inequality
/// of Dvoretzky, Kiefer and Wolfowitz bounds the p-value for every sample size.
void expect_uniform(std::vector<double> u, const std::string& what);
/// Anderson-Darling against N(0, 1); the p-value is the Chernoff bound of the limit law.
void expect_normal_tails(std::vector<double> z, const std::string& what);

/// P(N(0, 1) <= z).
inline double normal_law(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// What a client said in a round, in units of WireRun::sigma and freed of the factor d/k; no index
/// means all coordinates.
struct SentNoise {
  std::uint32_t client, round;
  std::vector<std::uint32_t> index;
  std::vector<double> z;
};

/// A whole experiment that stays at x = 0 and whose signal is known: without regulariser every
/// record's gradient is -feature/2 in coordinate 0 and 0 elsewhere, so no signal by default. Method
/// ldp-sgd (whole vectors), 512 coordinates, eight clients of 15 records with Poisson minibatches
/// of 4, unless `overrides` say otherwise.
class WireRun {
 public:
  static constexpr double sigma = 0.37;  // sigma^2 is far from sigma
  static constexpr std::size_t records_each = 15;
  static constexpr std::size_t batch = 4;

  /// The clients spread over `ranks` ranks, each with its own parts as in a run under MPI.
  explicit WireRun(const std::vector<std::string>& overrides = {}, int ranks = 1, int feature = 0);

  std::size_t dimension() const { return ranks_.front()->parts.x.size(); }
  std::size_t clients() const { return static_cast<std::size_t>(ranks_.front()->plan.clients); }
  /// The bytes that go to the server, in client order.
  Bytes send(std::uint32_t round);
  /// The same as the server reads them.
  std::vector<SentNoise> noise(std::uint32_t round);
  /// Direction of the server's step, from the change of the model; the model is put back to 0.
  std::vector<double> update(std::uint32_t round);
  /// Records drawn in the last round by all clients.
  std::size_t records() const;

 private:
  std::size_t drawn() const;
  const Outbox& post(std::uint32_t round);

  struct Rank {
    Plan plan;
    Assembly parts;
  };
  std::vector<std::unique_ptr<Rank>> ranks_;
  Ranks alone_{Placement{}};
  std::unique_ptr<Uplink> uplink_;
  std::unique_ptr<Outbox> sent_;  ///< by all ranks in the last round
  std::vector<std::uint32_t> everyone_;
  std::size_t drawn_before_ = 0;  ///< the last round
  PhaseTimer timer_{false};
};

/// Messages of rounds 0 .. rounds - 1, round by round in client order.
std::vector<SentNoise> collect(WireRun& run, std::uint32_t rounds);
/// All values of the messages one after the other.
std::vector<double> pooled(const std::vector<SentNoise>& sent);

/// Rand-k at 64 of 512 coordinates: noise is drawn at the sent coordinates only.
extern const std::vector<std::string> rand_k;

/// The two ways noise takes through the program: whole vectors (2^20 values) and single
/// coordinates (2^18 values).
enum class Path { whole, sparse };
inline const char* name_of(Path path) { return path == Path::whole ? "whole" : "sparse"; }
std::vector<SentNoise> sample(Path path);

}  // namespace trilemma::testing
