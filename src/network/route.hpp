#pragma once
// How a call splits into messages between two ranks, and how an MPI library chooses the way.

#include <vector>

#include "network/timing.hpp"

namespace trilemma {

/// Ways of a message from rank 0 to all others, or of sums and messages from all others to it.
enum class Algorithm : std::size_t {
  direct,             ///< one message between two ranks
  linear,             ///< one message for each other rank through the link of rank 0
  chain,              ///< from rank to rank
  binary,             ///< every rank forwards to two
  split_binary,       ///< halves through two binary trees, exchanged at the end
  binomial,           ///< the ranks that have it double with every step
  knomial,            ///< with every step they become four times as many
  scatter_allgather,  ///< parts to all ranks, which then exchange them; of sums: Rabenseifner's
  recursive_doubling  ///< ranks exchange with partners at distances 1, 2, 4, ...: all have the sum
};
inline constexpr const char* algorithm_names[] = {
    "one message",       "linear",        "chain",         "binary tree",
    "split binary tree", "binomial tree", "4-nomial tree", "scatter and allgather",
    "recursive doubling"};
inline const char* name(Algorithm algorithm) {
  return algorithm_names[static_cast<std::size_t>(algorithm)];
}

/// What an algorithm makes of a call with messages of m bytes.
struct Route {
  /// `times` messages one after the other, each of `copies` * m bytes.
  struct Step {
    double times, copies;
  };
  Algorithm algorithm = Algorithm::direct;
  std::vector<Step> steps;   ///< those of the longest path
  double server_copies = 1;  ///< of m bytes, through the link of rank 0 in its busier direction

  /// Copies of m bytes one after the other on the longest path.
  double path_copies() const;
};

/// Bytes up to which a message leaves before its receiver asks for it: over TCP in Open MPI
/// (btl_tcp_eager_limit), and in jobs/simulate.
inline constexpr double eager_limit = 65536;

/// The messages of a call on two ranks or more, without segments. In a broadcast of up to the eager
/// limit a rank's messages to its children leave at once and share its link, so that the first
/// child has to wait for all of them; longer ones leave one after the other, those to the largest
/// subtrees first.
Route route_of(Algorithm algorithm, Operation operation, int ranks, double bytes);

/// Who chooses the algorithm.
enum class Rule : std::size_t {
  star,      ///< ranks talk to rank 0 alone, so that all messages pass its link
  open_mpi,  ///< Open MPI 4.1 and 5.0, coll/tuned with its fixed rules
  mpich,     ///< Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations
             ///< in MPICH", Int. J. High Performance Computing Applications 19, 2005
};
inline constexpr const char* rule_names[] = {"star", "open-mpi", "mpich"};

/// The algorithm for a call with messages of this size in bytes. MPI_Gatherv is linear everywhere.
Algorithm chosen(Rule rule, Operation operation, int ranks, double bytes);

}  // namespace trilemma
