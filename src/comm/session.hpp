#pragma once
// The MPI session.

#include <string>

#include "comm/communicator.hpp"
#include "comm/placement.hpp"

namespace trilemma {

enum class StartMpi { never, if_launched, always };

/// The number of ranks that a launcher says it has started, without asking MPI; 1 where it says
/// none.
int launched_ranks();

/// Starts MPI on construction and ends it on destruction. A process that no launcher has started is
/// one rank and does without, which saves most of the time of a short run, unless "--mpi" is among
/// the arguments. MPI errors are returned to the caller and checked, not fatal inside the library.
class Session {
 public:
  Session(int& argc, char**& argv, StartMpi start = StartMpi::if_launched);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const { return ranks_.rank(); }
  int size() const { return ranks_.size(); }
  /// All ranks; the null state where there is one only.
  Communicator communicator() const { return size() > 1 ? ranks_ : Communicator(); }
  /// This rank among all, still without clients.
  Placement place() const { return {.rank = rank(), .size = size()}; }
  /// "Open MPI v4.1.4" and the like.
  static std::string library();
  /// Whether the MPI library is MPICH or derived from it.
  static bool is_mpich();
  /// Of a run on simulated ranks what jobs/simulate says of platform and computing, and the
  /// library; empty for any other.
  static std::string simulation();
  /// Host name of this rank.
  static std::string host();
  /// Ends the whole job at once.
  [[noreturn]] static void abort(int code);

 private:
  Communicator ranks_;
  bool has_mpi_ = false;
};

}  // namespace trilemma
