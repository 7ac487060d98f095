#pragma once

#include <mpi.h>

#include "base/check.hpp"

namespace trilemma {

/// Throws LibraryError with MPI's own words unless the call succeeded.
inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw LibraryError(fmt::format("{} failed: {}", call, text));
}

}  // namespace trilemma
