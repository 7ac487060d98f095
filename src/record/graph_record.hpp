#pragma once
// The graph of a decentralised run: attributes graph_* of the root.

#include <optional>
#include <string>

#include "record/field.hpp"

namespace trilemma {

/// The attributes, as `trilemma graph` prints them.
struct GraphRecord {
  std::string kind, weights;
  std::int64_t edges = 0;
  std::int64_t least_degree = 0, most_degree = 0;
  double mean_degree = 0;
  double second_eigenvalue = 0, least_eigenvalue = 0;  ///< of the mixing matrix
  double spectral_gap = 0;
  bool is_converged = true;  ///< otherwise the spectral gap is at most this
  std::int64_t redraws = 0;  ///< draws of a random graph that were not connected
  std::string model = "mean of the nodes";
};
/// Returns the table of these attributes; only files of decentralised methods have them.
const Fields<GraphRecord>& graph_fields();

/// Reads the attributes; nullopt if the file has none.
std::optional<GraphRecord> read_graph_record(const h5::Object& file);

/// Describes the graph in a line.
std::string in_words(const GraphRecord& record);

}  // namespace trilemma
