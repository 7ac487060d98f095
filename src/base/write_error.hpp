#pragma once
// Typed errors of outputs that cannot be written.

#include <exception>
#include <string>

#include "base/check.hpp"

namespace trilemma {

/// Reason why an output cannot be written.
enum class WriteFault {
  disk_full,
  over_quota,
  file_size_limit,
  read_only,
  no_permission,
  no_folder,
  symbolic_link,
  device,
  other
};

/// Returns the fault for an error number of the operating system, such as ENOSPC.
WriteFault write_fault(int error);

/// Returns the sentence "PROBLEM: FAULT (the system's words); REMEDY, or choose another PLACE" for
/// an error number of the operating system; `place` names what determines the location of the
/// output, such as an option.
std::string write_problem(const std::string& problem, int error, const char* place);

/// An output that cannot be written.
class WriteError : public LibraryError {
 public:
  /// `problem` states what could not be done; `error` is the error number of the operating system.
  WriteError(const std::string& problem, int error);

  WriteFault fault() const { return fault_; }
  int error() const { return error_; }

 private:
  WriteFault fault_;
  int error_;
};

/// Returns the same sentence for an exception: that of a WriteError names the fault, any other its
/// own text.
std::string write_problem(const std::string& problem, const std::exception& error,
                          const char* place);

/// Returns the error for a file that could not be created, written or renamed.
WriteError cannot_write(const std::string& path, int error);

}  // namespace trilemma
