#pragma once
// The papers' closed forms of the noise. Their constants are left open by the theorems, so they are
// explicit here; what such noise really costs is for the accountant to say.

namespace trilemma {

/// What a closed form makes sigma from.
struct NoiseFacts {
  double constant;   ///< c, q
  double threshold;  ///< norm bound G of a record's gradient, or C of a client's update
  double rounds;     ///< T, K
  double delta;
  double epsilon;
  double records;       ///< m of a client
  double clients;       ///< n
  double participants;  ///< r, expected in a round
  bool at_server;       ///< noise on the mean; else on each client's vector
};
using PaperNoise = double (*)(const NoiseFacts&);

/// [SOT] theorems 2 and 4: G sqrt(c T ln(1/delta)) / (m epsilon) on a client's vector.
double sot_noise(const NoiseFacts& facts);
/// [NORM] theorem 1: C sqrt(q K ln(1/delta)) / (n epsilon) on the mean, sqrt(r) times that on each
/// client's vector. [PMTL] theorem 1 is the same with q = 16, where all clients take part.
double norm_noise(const NoiseFacts& facts);
/// [NEC] section 5: c C p sqrt(T ln(1/delta)) / epsilon on a client's vector, p = r/n; on the mean
/// 1/sqrt(r) of that.
double nec_noise(const NoiseFacts& facts);

}  // namespace trilemma
