#pragma once
// Exact accounting of mechanisms whose messages alone satisfy epsilon-DP and whose privacy loss has
// three values.

#include <functional>
#include <vector>

namespace trilemma::accounting {

/// Dominating pair of one message: its privacy loss is 0 with probability `zero`, and otherwise
/// +epsilon or -epsilon, with probabilities in the ratio e^epsilon : 1.
struct LocalPair {
  double epsilon = 1;
  double zero = 0;
};

/// Returns the pair of an answer among `values` by randomised response (the true one is e^epsilon
/// times as probable as each other): losses +epsilon and -epsilon have the probabilities of the
/// true value and of one other value.
LocalPair response_pair(double epsilon, double values);

/// Privacy loss of `steps` adaptive releases of a pair: epsilon times the difference of the numbers
/// of positive and negative losses, which is distributed as the coefficients of
///
///     (p_+ + p_0 x + p_- x^2)^T.
///
/// These satisfy p_+ j b_j = p_0 (T - j + 1) b_{j-1} + p_- (2T - j + 2) b_{j-2}, where no term is
/// negative up to j = T + 1; those beyond are losses below 0, which delta does not need.
class LocalComposition {
 public:
  /// Throws std::invalid_argument unless 0 < epsilon <= 100, 0 <= zero < 1, and `steps` is an
  /// integer from 1 to 10^7.
  LocalComposition(const LocalPair& pair, double steps);

  /// Returns delta(epsilon), epsilon >= 0, exact up to rounding.
  double delta(double epsilon) const;
  /// Returns the smallest epsilon >= 0 that holds at `delta`, 0 <= delta < 1: T times that of a
  /// message at delta = 0.
  double epsilon(double delta) const;

 private:
  double loss(std::size_t k) const;

  double total_;              ///< largest loss
  double step_;               ///< distance of neighbouring losses
  std::vector<double> mass_;  ///< by loss, descending from the largest one to 0 or step_
};

/// Returns the largest epsilon of a message for which `steps` messages satisfy (`epsilon`,
/// `delta`)-DP, up to a relative error of 1e-9; for one step `epsilon` itself. `pair` returns the
/// pair for an epsilon of a message.
double message_epsilon(const std::function<LocalPair(double)>& pair, double steps, double epsilon,
                       double delta);

}  // namespace trilemma::accounting
