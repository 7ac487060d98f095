#pragma once
// MPI handle of a communicator (private to comm).

#include "comm/mpi_check.hpp"

namespace trilemma {

/// Owns an MPI communicator; frees it on destruction, except MPI_COMM_WORLD.
struct RankGroup {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;

  RankGroup() = default;
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;
  ~RankGroup() {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_NULL && is_over == 0) MPI_Comm_free(&comm);
  }
  /// Fills in the rank and the size from `comm`.
  void ask() {
    check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  }
};

}  // namespace trilemma
