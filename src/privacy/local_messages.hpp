#pragma once
// Pure local privacy: mechanisms whose messages alone satisfy epsilon-DP, without a trusted party.

#include "privacy/mechanism.hpp"
#include "privacy/privunit.hpp"
#include "privacy/sqkr.hpp"

namespace trilemma {

/// sqkr: k bits by randomised response. privunit: a direction from a random cap.
enum class LocalKind { sqkr, privunit };

/// What the messages of a run follow from.
struct LocalTask {
  LocalKind kind = LocalKind::sqkr;
  int bits = most_answer_bits;  ///< of sqkr: largest number of bits of a message
  std::size_t dimension = 1;    ///< d
  double norm = 1;              ///< C
  double rounds = 1;            ///< in each of which a client sends a message
  double epsilon = 1;           ///< of all rounds
  double delta = 0;             ///< of all rounds
  /// n: clients whose messages are shuffled together; 1 = the sender of a message is seen.
  double shuffled = 1;
};

/// The messages of a run.
struct LocalMessages {
  LocalKind kind = LocalKind::sqkr;
  accounting::LocalPair pair;  ///< with the epsilon of one message
  double error = 0;            ///< E||decoded - x||^2 for ||x|| = C
  unsigned bits = 0;           ///< of sqkr: k
  accounting::Cap cap = {};    ///< of privunit
  bool own_coins = false;      ///< of sqkr: the coordinates are a part of the message
};

/// Returns messages of the largest epsilon each for which those of all rounds satisfy (epsilon,
/// delta)-DP, by accounting::messages_epsilon(); of sqkr those with the number of bits of the
/// smallest error. Throws UserError for privunit in fewer than 2 dimensions, and for coordinates of
/// shuffled messages above 2^24, which a Released vector does not hold.
LocalMessages local_messages(const LocalTask& task);

/// Returns a description: "sqkr, epsilon = 4 in each message of 4 bits".
std::string in_words(const LocalMessages& messages);

/// Returns the mechanism of messages for vectors of norm at most `norm`. privunit releases a vector
/// whose mean is the input. sqkr releases the signs of its answer at the first k coordinates and 0
/// at the others. The coordinates of the frame that they answer for are those of the key with the
/// purpose mask: without its secret, which the server does not know; or with it and by own_coins,
/// where a sign is multiplied by its coordinate, counted from 1.
std::unique_ptr<Mechanism> make_local_mechanism(const LocalMessages& messages,
                                                std::size_t dimension, double norm);

}  // namespace trilemma
