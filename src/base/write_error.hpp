#pragma once
// Why an output cannot be written, as data.

#include <exception>
#include <string>

#include "base/check.hpp"

namespace trilemma {

/// What prevents writing.
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

/// The fault behind an error number of the operating system, such as ENOSPC.
WriteFault write_fault(int error);

/// The sentence "PROBLEM: FAULT (the system's words); REMEDY, or choose another PLACE" for an error
/// number of the operating system; `place` is what chooses where the output goes, such as an
/// option.
std::string write_problem(const std::string& problem, int error, const char* place);

/// An output that cannot be written.
class WriteError : public LibraryError {
 public:
  /// `problem` says what could not be done; `error` is the number that the operating system gave.
  WriteError(const std::string& problem, int error);

  WriteFault fault() const { return fault_; }
  int error() const { return error_; }

 private:
  WriteFault fault_;
  int error_;
};

/// The same for an exception, which is a WriteError or names the fault itself.
std::string write_problem(const std::string& problem, const std::exception& error,
                          const char* place);

/// The error for a file that could not be created, written or renamed.
WriteError cannot_write(const std::string& path, int error);

}  // namespace trilemma
