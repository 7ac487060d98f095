#pragma once
// Closed forms of the theory of SoteriaFL ([SOT]): the theorem on utility, which holds for every
// beta > 0, and its corollaries, which choose beta, step size, minibatch and rounds;
// and what the settings leave to the theory.

#include "settings/settings.hpp"

namespace trilemma {

/// The corollary of [SOT] for a method.
enum class Corollary { none, gd, sgd, svrg, saga };

/// Quantities of the theorem.
struct TheoryCase {
  Corollary corollary = Corollary::gd;
  double clients = 1;     ///< n
  double records = 1;     ///< m, of a client
  double dimension = 1;   ///< d
  double omega = 0;       ///< of the compressor
  double threshold = 1;   ///< G, norm bound of a record's gradient
  double smoothness = 1;  ///< L
  double batch = 1;       ///< b; unused for gd
  double snapshot = 0;    ///< p, of a new snapshot; for svrg only
};

/// The noise that the theory asks for: sigma^2 = constant G^2 T log(1/delta) / (m^2 epsilon^2).
struct TheoryNoise {
  double epsilon = 1, delta = 0.1;
  double constant = 1;  ///< c (G_A^2/4 + G_B^2) / G^2
};

/// Returns tau = (1 + omega)^(3/2) / sqrt(n).
double theory_tau(const TheoryCase& c);
/// Returns the minibatch of the corollary in whole records, rounded down, from 1 to m.
long theory_batch(const TheoryCase& c, const TheoryNoise& noise);
/// Returns p = b/m of the corollary for SVRG.
double theory_snapshot(const TheoryCase& c);
/// Returns beta of the corollary.
double theory_beta(const TheoryCase& c);
/// Returns the largest step size that the theorem allows for that beta; 0 if it allows none.
double theorem_rate(const TheoryCase& c);
/// Returns the step size of the corollary, or that of the theorem if it is smaller: for SVRG with
/// few clients and little compression the corollary exceeds its own theorem.
double theory_rate(const TheoryCase& c);
/// Returns T of (5) in whole rounds, rounded up, if the suboptimality of the start is at most
/// `suboptimality`.
double theory_rounds(const TheoryCase& c, const TheoryNoise& noise, double suboptimality);
/// Returns the bound of the theorem on the mean over `rounds` rounds of the expected squared
/// gradient norm, with noise of standard deviation `sigma` per coordinate:
///     2 Phi0 / (eta T) + 3 beta / ((1 + omega) L eta) (C2 + d sigma^2),
/// where Phi0 <= suboptimality + beta G^2 / L, since all shifts start at 0.
double utility_bound(const TheoryCase& c, double rate, double rounds, double sigma,
                     double suboptimality);

/// The word that leaves a key to the theory.
inline constexpr const char* theory_word = "theory";

/// What a method reads for its theory.
struct TheorySettings {
  Corollary corollary = Corollary::none;
  std::optional<double> rate = {};           ///< eta; nullopt = left to the theory
  std::optional<double> smoothness = {};     ///< L
  bool smoothness_from_records = false;      ///< whether L is computed from the records
  std::optional<double> suboptimality = {};  ///< bound on f(x^0) - min f
};

/// Reads server.rate and, if a key is left to the theory or one of them is set, the constants.
TheorySettings read_theory(Settings& experiment, Corollary corollary);

}  // namespace trilemma
