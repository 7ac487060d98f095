#pragma once

#include "comm/mpi_check.hpp"
#include "comm/mpi_count.hpp"

namespace trilemma {

/// A contiguous MPI type of so many bytes, so that counts are numbers of pieces and stay small. To
/// make one takes about a microsecond; one byte has a type of its own.
class ShareType {
 public:
  explicit ShareType(std::size_t bytes) {
    if (bytes == 1) return;
    check_mpi(MPI_Type_contiguous(mpi_count(bytes), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~ShareType() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  ShareType(const ShareType&) = delete;
  ShareType& operator=(const ShareType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
};

}  // namespace trilemma
