#pragma once
// Undirected graphs of nodes, and their mixing matrices W: symmetric, with rows that sum to 1 and
// w_ij = 0 where i and j share no edge. A decentralised method replaces x_i by sum_j w_ij x_j.

#include <optional>
#include <string>
#include <utility>

#include "base/types.hpp"
#include "settings/table.hpp"

namespace trilemma {

/// Smallest and largest nonzero eigenvalue of the Laplacian D - A of a connected graph.
struct LaplacianRange {
  double least = 0, most = 0;
};

/// The edges of a graph, from which Graph makes a mixing matrix.
struct EdgeList {
  using Edge = std::pair<std::uint32_t, std::uint32_t>;  ///< the smaller node first
  std::vector<Edge> edges = {};                          ///< ascending, each once
  std::vector<double> weights = {};  ///< w_ij by edge, if the source of the edges states them
  std::optional<LaplacianRange> laplacian = {};  ///< where a closed form is known
  std::uint32_t redraws = 0;                     ///< random graphs: draws that were not connected
};

/// Largest number of edges of a graph.
inline constexpr std::size_t most_edges = std::size_t{1} << 25U;

/// Returns whether the edges connect all nodes.
bool is_connected(std::uint32_t nodes, const std::vector<EdgeList::Edge>& edges);

using GraphMaker = std::function<EdgeList(std::uint32_t nodes, std::uint64_t seed)>;

/// Returns the table of graphs: ring, torus, complete, star, exponential, hypercube, erdos-renyi,
/// file. Every row returns a connected graph.
std::span<const Row<GraphMaker>> graphs();

/// Weights of the edges in W. metropolis: 1 / (1 + max(deg i, deg j)). lazy: (I + W) / 2 of these.
/// uniform: 1 / (1 + deg), for graphs whose nodes have equal degrees. best_constant: the one weight
/// for all edges that gives the largest spectral gap, 2 / (l_2 + l_n), where l_2 and l_n are the
/// smallest and largest nonzero eigenvalues of the Laplacian (Xiao and Boyd 2004).
enum class MixingWeights { metropolis, lazy, uniform, best_constant };

/// A connected graph with its mixing matrix, stored by rows.
class Graph {
 public:
  /// Weights that the edges state have priority over `weights`, except that lazy halves them.
  /// Throws UserError if `weights` does not suit the graph.
  Graph(std::uint32_t nodes, const EdgeList& edges, MixingWeights weights);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(start_.size() - 1); }
  std::size_t edges() const { return neighbour_.size() / 2; }
  /// Returns the neighbours of a node, ascending.
  Coordinates neighbours(std::uint32_t node) const {
    return Coordinates(neighbour_).subspan(start_[node], start_[node + 1] - start_[node]);
  }
  std::uint32_t degree(std::uint32_t node) const {
    return static_cast<std::uint32_t>(start_[node + 1] - start_[node]);
  }
  /// Returns w_ij for neighbour number `at` of a node.
  double weight(std::uint32_t node, std::size_t at) const {
    return weight_.size() == 1 ? weight_[0] : weight_[start_[node] + at];
  }
  /// Returns w_ii = 1 - the sum of w_ij over ascending j.
  double own_weight(std::uint32_t node) const { return own_weight_[node]; }
  /// Returns how often a random graph was drawn again since it was not connected.
  std::uint32_t redraws() const { return redraws_; }
  /// Returns whether the source of the edges states their weights.
  bool has_stated_weights() const { return has_stated_weights_; }
  /// Writes W x to `mixed`.
  void mix(std::span<const double> x, std::span<double> mixed) const;

  /// Returns the weight c of every edge and the range of the Laplacian L, where W = I - c L and the
  /// range has a closed form.
  std::optional<std::pair<double, LaplacianRange>> closed_form() const;

 private:
  void build_rows(std::uint32_t nodes, const EdgeList& edges);
  void weigh(const EdgeList& edges, MixingWeights weights);
  void weigh_own();
  double metropolis(std::uint32_t a, std::uint32_t b) const;
  void weigh_by_edge(const EdgeList& edges, double share);
  bool is_regular() const;

  std::vector<std::size_t> start_;  ///< of each node's row, and the end
  std::vector<std::uint32_t> neighbour_;
  std::vector<double> weight_;  ///< by entry of neighbour_, or one number if all are equal
  std::vector<double> own_weight_;
  std::optional<LaplacianRange> laplacian_;
  std::uint32_t redraws_;
  bool has_stated_weights_;
};

/// A graph as an experiment describes it.
struct GraphOptions {
  std::string kind;  ///< row of graphs()
  bool is_from_file = false;
  GraphMaker edges;
  MixingWeights weights = MixingWeights::metropolis;
};

/// Reads the section [graph] of an experiment.
GraphOptions read_graph(const Settings& experiment);

/// Eigenvalues of a mixing matrix other than the eigenvalue 1 of the constant vector.
struct Spectrum {
  double second = 0;  ///< lambda_2, the largest
  double least = 0;   ///< lambda_n, the smallest
  /// 1 - rho, where rho = max(|lambda_2|, |lambda_n|) is the factor by which a round reduces the
  /// distance of the nodes from their mean, at least.
  double gap = 1;
  /// Whether the eigenvalues are known to about ten digits; otherwise the gap is at most `gap`.
  bool is_converged = true;

  double rho() const { return 1 - gap; }
};

/// Returns the spectrum: a closed form if one is known, otherwise by Lanczos steps.
Spectrum spectrum_of(const Graph& graph);
/// Returns the spectrum from Lanczos steps on the vectors with mean 0, without storing them: the
/// extreme eigenvalues of the tridiagonal matrix converge all the same (Paige 1980).
Spectrum spectrum_by_lanczos(const Graph& graph);

}  // namespace trilemma
