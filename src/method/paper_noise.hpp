#pragma once
// The papers' closed forms of the noise. The theorems do not fix their constants, so they are
// explicit parameters here; the accountant determines the epsilon of such noise.

namespace trilemma {

/// Inputs of the closed forms of sigma.
struct NoiseFacts {
  double constant;   ///< c, q
  double threshold;  ///< norm bound G of a record's gradient, or C of a client's update
  double rounds;     ///< T, K
  double delta;
  double epsilon;
  double records;       ///< m, per client
  double clients;       ///< n, number of clients
  double participants;  ///< r, expected number in a round
  bool at_server;       ///< noise is added to the mean, otherwise to each client's vector
};
using PaperNoise = double (*)(const NoiseFacts&);

/// Returns G sqrt(c T ln(1/delta)) / (m epsilon), for a client's vector ([SOT] theorems 2 and 4).
double sot_noise(const NoiseFacts& facts);
/// Returns C sqrt(q K ln(1/delta)) / (n epsilon) for the mean, and sqrt(r) times that for each
/// client's vector ([NORM] theorem 1). [PMTL] theorem 1 is the same with q = 16 and all clients
/// participating.
double norm_noise(const NoiseFacts& facts);
/// Returns c C p sqrt(T ln(1/delta)) / epsilon with p = r/n for a client's vector, and 1/sqrt(r) of
/// that for the mean ([NEC] section 5).
double nec_noise(const NoiseFacts& facts);

}  // namespace trilemma
