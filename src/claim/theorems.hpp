#pragma once

#include "claim/claim_inputs.hpp"

namespace trilemma {

/// What a draw of the protected units is worth.
enum class Counting {
  every_round,  ///< nothing: a unit may take part in every round
  hidden,       ///< who was drawn is secret: amplification by sampling
  revealed,     ///< who was drawn is known: a unit is in as many rounds as the draws say
};

/// What is known about a case: a theorem, or why there is none.
struct Theorem {
  const char* name;     ///< nullptr = refused
  const char* source;   ///< paper
  Counting counting;    ///< of the theorem
  const char* refusal;  ///< one sentence; nullptr = there is a theorem
};

/// The first row of the table that fits; every case has one. All accounting of runs goes through
/// it (docs/privacy.md).
const Theorem& theorem_for(const ClaimCase& kind);

/// What is released in a run and how the theorem lets its draws count. Where there is no theorem
/// draws count for nothing.
Releases releases_of(const ClaimInputs& inputs);

}  // namespace trilemma
