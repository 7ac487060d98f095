#pragma once
// What an experiment's settings say, as far as privacy is concerned; no theory here.

#include <string>
#include <string_view>

namespace trilemma::claims {

/// Settings in effect, and what the run adds to them.
struct Facts {
  std::string method, relation, view, noise_at, noise_mode, rng, calibration;
  std::string participation;  ///< full, drop-outs, poisson, fixed-size
  std::string joint;          ///< row of joints()
  std::string sampling;       ///< of records: poisson, without-replacement, with-replacement
  std::string bound;          ///< row of bounds()
  std::string memory;         ///< of clients, if the experiment chooses it
  std::string start_file;
  std::string problem;
  bool start_at_optimum = false;
  double threshold = 1;  ///< G or C
  double rate = 1;       ///< of participation by coins
  long size = 1;         ///< of participation by a fixed size
  double dropped = 0;    ///< probability that a client drops out of a round
  long clients = 1, rounds = 1, batch = 1;
  /// Clients whose noise may be missing in a sum that is hidden: they are corrupt or drop out.
  long missing = 0;
  bool is_hidden = false;  ///< sums by secure aggregation
  /// What a client moves all counts of trials by, in their standard deviations.
  double trial_step = 0;
  double mask_rate = 1;  ///< probability that a client draws a coordinate or block
  double part = 0;  ///< norm of a decoded coordinate or block drawn in secret; 0: there are none
  long full_parts = 1;       ///< of them in a bounded vector, at their own bound
  double delta = 0;          ///< 0: none given
  double regulariser = 0;    ///< weight of the logistic problem's own
  double gain = 1;           ///< of the compressor: d/k of rand-k
  long least = 1, most = 1;  ///< records of the smallest and of the largest client
  double sigma = 0;          ///< of every coordinate, where the noise is added
  double fresh = 1;          ///< weight a of new gradients between anchors; 1: no recursion
  long period = 0;           ///< rounds between anchors; 0: the first round is the only one
  long anchor_batch = 0;     ///< records of a minibatch of an anchor

  /// Unit of privacy: a whole client, else one record.
  bool protects_clients() const { return bound.ends_with("-client"); }
  /// Estimate of the gradient that is bounded: gd, sgd, svrg or saga.
  std::string_view estimator() const;
  /// Whether a trusted server adds the noise that protects records.
  bool is_central() const;
  /// Clients keep state for themselves that moves only in rounds in which they take part.
  bool keeps_private_state() const;
  /// Probability of a client to take part in a round.
  double share() const;
  /// Participants expected in a round, the constant divisor of the server.
  double expected() const { return share() * static_cast<double>(clients); }
};

/// From a resolved configuration (TOML). gain, least, most and sigma are left to the caller.
Facts read_facts(const std::string& config);

/// What a program's own draws are worth; of the generator and of the order of its stages.
struct Machine {
  /// Largest absolute value of its standard normal numbers.
  double noise_cut;
  /// Participants follow from the public seed although noise is drawn from a secret.
  bool public_participants;
  /// The regulariser's gradient is added to what is released before the noise is, in `real`.
  bool regulariser_before_noise;
};

/// Largest value of Box and Muller's radius with `bits` random bits: sqrt(2 (bits + 1) ln 2).
double radius_of_bits(int bits);

}  // namespace trilemma::claims
