#pragma once

#include <array>
#include <string>
#include <vector>

#include "network/route.hpp"

namespace trilemma {

class State;

/// What predictions need of a file that `trilemma calibrate` wrote.
struct NetworkFile {
  std::int64_t ranks = 0;
  Rule rule = Rule::open_mpi;  ///< of the MPI library that was measured
  std::string warning;         ///< that was given when it was measured; may be empty
  /// By operation and size: bytes, seconds in the median, and half of the interval of 95 % over
  /// them.
  std::array<std::vector<double>, operation_count> bytes, seconds, half_intervals;

  /// The medians of an operation.
  std::vector<Timing> timings(Operation operation) const;
  /// The half intervals of all sizes of all operations in the median.
  double spread() const;
  void persist(State& state);
};

/// Reads it in a process of its own. Refuses what is no network file, one of another schema, and
/// times that cannot be.
NetworkFile read_network_file(const std::string& path);

}  // namespace trilemma
