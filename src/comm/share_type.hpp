#pragma once

#include <cstddef>
#include <limits>

#include "comm/mpi_check.hpp"

namespace trilemma {

/// A number of bytes as MPI counts them. Throws RunFailure above 2 GiB.
inline int mpi_count(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw RunFailure(
        fmt::format("{} bytes at once are above MPI's limit of 2 GiB; let fewer clients take "
                    "part, or send less",
                    bytes));
  return static_cast<int>(bytes);
}

/// A contiguous MPI type of one client's share, so that counts are numbers of clients and stay
/// small.
class ShareType {
 public:
  explicit ShareType(std::size_t bytes) {
    check_mpi(MPI_Type_contiguous(mpi_count(bytes), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~ShareType() { MPI_Type_free(&type_); }
  ShareType(const ShareType&) = delete;
  ShareType& operator=(const ShareType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace trilemma
