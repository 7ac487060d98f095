#pragma once
// SQKR (Chen, Kairouz and Ozgur, 2007.11707): k bits of a vector in a Kashin representation, sent
// through randomised response, so that each message alone satisfies epsilon-DP.

#include <optional>
#include <vector>

#include "numeric/draws.hpp"
#include "numeric/rotation.hpp"
#include "privacy/accountant/local_pair.hpp"

namespace trilemma {

/// Largest number of bits of an answer.
inline constexpr int most_answer_bits = 24;

/// Messages of k = `bits` bits.
struct SqkrOptions {
  double norm = 1;  ///< C, of the vectors
  double epsilon = 1;
  unsigned bits = 1;  ///< from 1 to most_answer_bits, at most d
  /// Whether coordinates are drawn from the client's own coins and sent. Otherwise the server draws
  /// them too.
  bool own_coins = false;
};

/// Returns F = (e^epsilon + 2^k - 1) / (e^epsilon - 1): answers of k bits by randomised response
/// are true with probability 1/F and uniform otherwise, which satisfies epsilon-DP exactly.
double sqkr_factor(double epsilon, unsigned bits);

/// Returns E||decoded - x||^2 = C^2 (F^2 K^2 d / k + (1 - 1/k) F - 1) for ||x|| = C, up to a share
/// of O(1/d).
double sqkr_error(std::size_t dimension, const SqkrOptions& options);

/// Returns the dominating pair of a message, that of an answer among 2^k values.
accounting::LocalPair sqkr_pair(double epsilon, unsigned bits);

/// Returns D = 2^(ceil(log2 d) + 1), but at least 512, since small frames represent fewer vectors.
std::size_t sqkr_frame(std::size_t dimension);

/// Encoder and decoder. The frame U is the first d columns of (H S_2 H S_1) / D with Hadamard
/// matrices H of D = sqkr_frame(d) rows and random signs S; U^T U = I. A vector x of norm at most C
/// is C U^T a with |a_s| <= K / sqrt(D), K = 2 (Lyubarskii and Vershynin 2010):
///
///     a = U x / C;  repeat a = clip(a), a += U (x / C - U^T a)
///
/// The client draws k coordinates s_l, rounds sqrt(D) a_s / K at random to signs, and answers with
/// them. The server decodes C F (D/k) (K / sqrt(D))
/// sum_l sign_l u_{s_l}, which has the mean x. Vectors in almost all directions have such a
/// representation, but not those along a row of the frame: of these up to 0.3 is lost.
class Sqkr {
 public:
  Sqkr(std::size_t dimension, const SqkrOptions& options);

  /// Sets the signs of the frame, for the messages up to the next call.
  void set_frame(std::uint64_t seed);
  /// Writes the coordinates of the message with this key, ascending, and sets the frame of its
  /// seed.
  void coordinates(const Key& mask, std::vector<std::uint32_t>& at);
  /// Writes the answer of x at these coordinates, -1 or 1 each. Randomness is that of the key. What
  /// is left of x after 500 steps is lost, which costs a bias but no privacy.
  void encode(ConstView x, Coordinates at, const Key& key, std::span<std::int32_t> signs);
  /// Writes the vector that an answer represents.
  void decode(Coordinates at, std::span<const std::int32_t> signs, View out);

  /// Returns ||x / C - U^T a|| of the last encoded vector, at most 1e-6 if it has converged.
  double residual() const { return residual_; }

 private:
  void represent(ConstView x);

  SqkrOptions options_;
  std::size_t dimension_, frame_;  ///< d and D
  std::uint64_t seed_ = 0;
  std::optional<Rotation> rotation_;  ///< of seed_
  SubsetDraw draw_;
  double residual_ = 0;
  std::vector<double> coefficient_, rest_;  ///< a, and scratch memory of D numbers
};

}  // namespace trilemma
