#pragma once

#include <array>
#include <string>
#include <vector>

#include "network/route.hpp"

namespace trilemma {

class State;

/// The contents of a file of `trilemma calibrate` that predictions need.
struct NetworkFile {
  std::int64_t ranks = 0;
  Rule rule = Rule::open_mpi;  ///< of the MPI library that was measured
  std::string warning;         ///< given during the measurement; may be empty
  /// By operation and size: bytes, median seconds, and half of the 95 % interval relative to the
  /// median.
  std::array<std::vector<double>, operation_count> bytes, seconds, half_intervals;

  /// Returns the medians of `operation`.
  std::vector<Timing> timings(Operation operation) const;
  /// Returns the median of the half intervals of all sizes of all operations.
  double spread() const;
  /// Saves or restores the contents, which a subprocess reads.
  void persist(State& state);
};

/// Reads the file in a subprocess. Throws UserError for a file that is not a network file, has
/// another schema, or contains impossible times.
NetworkFile read_network_file(const std::string& path);

/// Command-line options of `trilemma calibrate`.
struct CalibrateOptions {
  std::string output = "network.h5";
  std::string largest = "16MiB";  ///< size of the largest message
  std::vector<std::string>
      sizes;           ///< sizes of further messages, such as those of the runs to predict
  double seconds = 1;  ///< per size and operation
  bool overwrite = false, json = false, quiet = false;
};

/// Runs `trilemma calibrate` on every rank of a job. Returns the exit code.
int calibrate_command(const CalibrateOptions& options, int argc, char** argv);

}  // namespace trilemma
