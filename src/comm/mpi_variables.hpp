#pragma once
// Control variables of the MPI library (MPI_T) that differ from their default.

#include <optional>
#include <string>
#include <vector>

namespace trilemma {

/// The control variables that environment variables, parameter files or the launcher have set.
/// MPI_T does not report defaults, so two child processes read all variables: one in this
/// environment, and one in an environment without settings for MPI.
class MpiVariables {
 public:
  /// Starts both child processes if this process `uses_mpi` and is rank 0 of a job with several
  /// ranks. Must be called before MPI is started; the library then reads the environment in the
  /// children as it will in this process.
  explicit MpiVariables(bool uses_mpi = true);
  ~MpiVariables();
  MpiVariables(const MpiVariables&) = delete;
  MpiVariables& operator=(const MpiVariables&) = delete;

  /// Waits for the children and returns the variables as "NAME=value", sorted; nullopt if they were
  /// not started or the library has no MPI_T.
  std::optional<std::vector<std::string>> changed();

 private:
  struct Child {
    int process = -1;
    int pipe = -1;
  };
  static Child start(bool in_this_environment);
  static std::vector<std::string> lines_of(Child& child);
  Child here_, plain_;
};

}  // namespace trilemma
