#pragma once
// The question of `trilemma graph` and its answer.

#include <optional>
#include <string>
#include <vector>

#include "record/graph_record.hpp"
#include "schedule/graph.hpp"

namespace trilemma {

struct Plan;

/// Largest number of nodes of a graph.
inline constexpr long most_nodes = 1'000'000;

/// Options of `trilemma graph`.
struct GraphQuestion {
  std::string kind;
  long nodes = 0;
  std::optional<long> seed = {};       ///< 1 if not given
  std::vector<std::string> overrides;  ///< other keys of [graph]: "graph.rows=4"
};

/// The graph that a question describes.
struct NamedGraph {
  GraphOptions options;
  Graph graph;

  /// Returns the weights of the edges, in words.
  const char* weights() const;
};

/// Returns the graph. Throws UserError if the options do not describe one.
NamedGraph graph_of(const GraphQuestion& question);

/// What `trilemma graph` reports.
struct GraphAnswer {
  std::string kind, weights;
  long nodes = 0;
  std::size_t edges = 0;
  std::uint32_t least_degree = 0, most_degree = 0;
  double mean_degree = 0;
  std::uint32_t redraws = 0;  ///< draws that were not connected
  Spectrum spectrum = {};

  /// Returns the number of rounds that divide the distance of the nodes from their mean by
  /// `factor`; 0 if one round reaches the mean.
  double rounds_for(double factor) const;
};

/// Returns the properties of `graph`, which was made with `options`.
GraphAnswer describe(const GraphOptions& options, const Graph& graph);
/// Returns the properties of the graph of a question.
GraphAnswer graph_answer(const GraphQuestion& question);

/// Returns what a run file says of the graph of a plan; nullopt for methods with a server.
std::optional<GraphRecord> graph_record(const Plan& plan);

/// Returns the answer as lines for the terminal.
std::string to_text(const GraphAnswer& answer);

}  // namespace trilemma
