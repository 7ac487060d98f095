#pragma once
// The messages between two ranks of which a call consists, and the rules by which MPI libraries
// choose algorithms.

#include <vector>

#include "network/timing.hpp"

namespace trilemma {

/// Algorithms for a message from rank 0 to all others, or for sums and messages from all others to
/// rank 0.
enum class Algorithm : std::size_t {
  direct,             ///< one message between two ranks
  linear,             ///< one message per other rank through the link of rank 0
  chain,              ///< from rank to rank
  binary,             ///< every rank forwards to two others
  split_binary,       ///< halves through two binary trees, exchanged at the end
  binomial,           ///< the number of ranks that have the message doubles with every step
  knomial,            ///< as binomial, but the number is multiplied by four
  scatter_allgather,  ///< parts to all ranks, which then exchange them; for sums, Rabenseifner's
                      ///< algorithm
  recursive_doubling  ///< ranks exchange with partners at distances 1, 2, 4, ...: all get the sum
};
inline constexpr const char* algorithm_names[] = {
    "one message",       "linear",        "chain",         "binary tree",
    "split binary tree", "binomial tree", "4-nomial tree", "scatter and allgather",
    "recursive doubling"};
inline const char* name(Algorithm algorithm) {
  return algorithm_names[static_cast<std::size_t>(algorithm)];
}

/// The messages that an algorithm sends for a call with messages of m bytes.
struct Route {
  /// `times` messages one after the other, each of `copies` * m bytes.
  struct Step {
    double times, copies;
  };
  Algorithm algorithm = Algorithm::direct;
  std::vector<Step> steps;   ///< along the longest path
  double server_copies = 1;  ///< through the link of rank 0, in its busier direction

  /// Returns the number of copies of m bytes that are sent one after the other along the longest
  /// path.
  double path_copies() const;
};

/// Size in bytes up to which a message is sent before its receiver requests it: over TCP in Open
/// MPI (btl_tcp_eager_limit), and in jobs/simulate.
inline constexpr double eager_limit = 65536;

/// Returns the messages of a call on at least two ranks, without segmentation. In a broadcast of at
/// most the eager limit, the messages of a rank to its children are sent at once and share its
/// link, so the first child has to wait for all of them; larger messages are sent one after the
/// other, those to the largest subtrees first.
Route route_of(Algorithm algorithm, Operation operation, int ranks, double bytes);

/// The rule by which algorithms are chosen.
enum class Rule : std::size_t {
  star,      ///< ranks communicate only with rank 0, so all messages pass its link
  open_mpi,  ///< Open MPI 4.1 and 5.0, coll/tuned with its fixed rules
  mpich,     ///< Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations
             ///< in MPICH", Int. J. High Performance Computing Applications 19, 2005
};
inline constexpr const char* rule_names[] = {"star", "open-mpi", "mpich"};

/// Returns the algorithm for a call with messages of `bytes`. MPI_Gatherv is always linear.
Algorithm chosen(Rule rule, Operation operation, int ranks, double bytes);

}  // namespace trilemma
