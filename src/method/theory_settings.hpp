#pragma once
// Values that the settings leave to the theory of a method, and the constants that it needs.

#include "method/soteria_theory.hpp"
#include "settings/settings.hpp"

namespace trilemma {

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
