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

}  // namespace trilemma
