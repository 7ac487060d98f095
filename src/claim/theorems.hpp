#pragma once

#include "claim/claim_inputs.hpp"

namespace trilemma {

/// How random draws of the protected units enter the account.
enum class Counting {
  every_round,  ///< not at all: a unit may take part in every round
  hidden,       ///< the draws are secret: amplification by sampling
  revealed,     ///< the draws are known: only rounds in which a unit is drawn count
};

/// The theorem for a case, or the reason why there is none.
struct Theorem {
  const char* name;     ///< nullptr = refused
  const char* source;   ///< paper
  Counting counting;    ///< how draws enter the account
  const char* refusal;  ///< one sentence; nullptr = there is a theorem
};

/// Returns the theorem of the first row of the table that fits `kind`; every case has one. All
/// accounting of runs uses this table (docs/explanation/privacy-model.md).
const Theorem& theorem_for(const ClaimCase& kind);

/// Returns the releases of a run, with its draws counted as the theorem allows. Without a theorem,
/// draws reduce nothing.
Releases releases_of(const ClaimInputs& inputs);

}  // namespace trilemma
