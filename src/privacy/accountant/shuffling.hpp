#pragma once
// Amplification by shuffling: the adversary sees the multiset of the messages of n clients, one of
// which is replaced.

#include "privacy/accountant/local_pair.hpp"
#include "privacy/accountant/pld.hpp"

namespace trilemma::accounting {

/// Messages of `clients` clients, each made by the same (epsilon, delta)-DP mechanism and shuffled.
struct Shuffled {
  double clients = 1;  ///< n
  double epsilon = 1;  ///< eps0, of one message
  double delta = 0;    ///< delta0, of one message
};

/// Returns delta(epsilon), epsilon >= 0, of a round, up to 2e-20. With pure messages, delta0 = 0,
/// it is that of the dominating pair of Feldman, McMillan and Talwar (2208.04591, theorem 3.2)
///
///     (A + W, C - A + 1 - W)  against  (A + 1 - W, C - A + W)
///
/// for C ~ Bin(n-1, 2/(e^eps0 + 1)) clones of both messages, A ~ Bin(C, 1/2), and W ~ Bernoulli(w),
/// w = e^eps0/(e^eps0 + 1). Given C, the loss increases with the first count j = 0, ..., C + 1: it
/// is log (w j + (1-w) (C+1-j)) / ((1-w) j + w (C+1-j)). Binary randomised response attains the
/// bound where the other clients have the same value. Otherwise messages are within a total
/// variation of delta0 (1 + 4 (n-1) e^-eps0) of pure ones, which adds (1 + e^epsilon) times as
/// much. Throws std::invalid_argument for numbers out of range.
double shuffled_delta(const Shuffled& messages, double epsilon);

/// Returns the smallest epsilon with shuffled_delta() <= `delta`; infinite if there is none.
double shuffled_epsilon(const Shuffled& messages, double delta);

/// Returns epsilon of `rounds` adaptive rounds with fresh permutations, from the privacy loss
/// distribution of the pair. Values of C share a block of at most 1/512 of their range; the least
/// one of a block has the largest loss, since a further clone is post-processing, and gives the
/// upper bound, the largest the lower one. Throws std::invalid_argument if the pair has more than
/// 2^23 atoms, from about 10^7 clients on.
Result shuffled_epsilon(const Shuffled& messages, double rounds, double delta,
                        const Effort& effort = {});

/// Returns the largest epsilon of a pure message for which `rounds` rounds of shuffled messages of
/// `clients` clients satisfy (`epsilon`, `delta`)-DP, up to a relative error of 1e-6 and at most
/// 100. Throws as shuffled_epsilon() does.
double shuffled_message_epsilon(double clients, double rounds, double epsilon, double delta);

/// Returns epsilon of `rounds` adaptive rounds of messages with this pair. If they are shuffled
/// among those of `clients` > 1 clients, it is the smaller of that of shuffled messages and that of
/// messages whose senders are seen; with clients = 1 it is the latter.
Result messages_epsilon(const LocalPair& pair, double clients, double rounds, double delta);

}  // namespace trilemma::accounting
