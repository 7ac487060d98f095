#pragma once
// Composition of rounds whose losses have no closed form.

#include "tests/claim_oracle/profile.hpp"

namespace trilemma::claims {

/// composed_delta() by losses on a lattice and a Fourier transform; the laws are tilted by
/// e^(theta loss) first, so that small deltas keep their digits (Esscher 1932).
double lattice_delta(const DominatingPair& pair, long rounds, double epsilon);

}  // namespace trilemma::claims
