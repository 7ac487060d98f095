#pragma once
// Return codes, counts and communicators of MPI (private to comm).

#include <mpi.h>

#include <limits>

#include "base/check.hpp"

namespace trilemma {

/// Throws LibraryError with MPI's error text unless `code` is MPI_SUCCESS.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw LibraryError(fmt::format("{} failed: {}", call, text));
}

/// Returns `bytes` as a count for MPI. Throws RunFailure above 2 GiB.
inline int mpi_count(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw RunFailure(fmt::format(
        "{} bytes at once are above MPI's limit of 2 GiB; use fewer participants, or smaller messages",
        bytes));
  return static_cast<int>(bytes);
}

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
