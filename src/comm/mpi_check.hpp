#pragma once

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

}  // namespace trilemma
