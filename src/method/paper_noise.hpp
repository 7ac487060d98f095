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
  double period = 1;    ///< q0, rounds from one anchor of a recursion to the next
};
using PaperNoise = double (*)(const NoiseFacts&);

/// Returns G sqrt(c T ln(1/delta)) / (m epsilon), for a client's vector ([SOT] theorems 2 and 4).
double sot_noise(const NoiseFacts& facts);
/// Returns G sqrt(c T ln(1/delta)) / (n m epsilon), for the mean gradient over all n m records
/// (Abadi et al. 2016, theorem 1, with an explicit constant).
double central_noise(const NoiseFacts& facts);
/// Returns G sqrt(c T ln(N/delta) ln(1/delta)) / (N epsilon) for N = n m records and c = 32
/// (Bassily, Smith and Thakurta 2014, as used by RRPSGD).
double random_round_noise(const NoiseFacts& facts);
/// Returns G sqrt(c max(T/q0, 1) ln(1/delta)) / (m epsilon) with c = 16, for a client's vector in
/// an anchor round (Lowy, Ghafelebashi and Razaviyayn 2022). The noise of a later round is C/G
/// sqrt(min(q0, T)) times that, where C bounds the difference of a record's gradients.
double spider_noise(const NoiseFacts& facts);
/// Returns C sqrt(q K ln(1/delta)) / (n epsilon) for the mean, and sqrt(r) times that for each
/// client's vector ([NORM] theorem 1). [PMTL] theorem 1 is the same with q = 16 and all clients
/// participating.
double norm_noise(const NoiseFacts& facts);
/// Returns c C p sqrt(T ln(1/delta)) / epsilon with p = r/n for a client's vector, and 1/sqrt(r) of
/// that for the mean ([NEC] section 5).
double nec_noise(const NoiseFacts& facts);

}  // namespace trilemma
