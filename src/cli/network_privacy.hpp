#pragma once
// The question of `trilemma privacy network` and its answer.

#include <optional>
#include <string>
#include <vector>

#include "experiment/graph_answer.hpp"

namespace trilemma {

/// Options of `trilemma privacy network`: one averaging phase x <- W x of values with noise.
struct NetworkPrivacyQuestion {
  GraphQuestion graph;
  long steps = 1;       ///< rounds, in each of which every node sends its value to its neighbours
  double sigma = 0;     ///< standard deviation of the noise of each coordinate of a start value
  double distance = 1;  ///< between the two values that a node's neighbouring inputs have
  double delta = 0;
  std::optional<long> viewers = {};  ///< nodes that look at the others; default: 1 where all are
                                     ///< alike, else up to 64
};

/// Least value, median and largest value over pairs of nodes.
struct Quantiles {
  double least = 0, median = 0, most = 0;
  bool operator==(const Quantiles&) const = default;
};

/// Pairs (u, v) of nodes at one distance in the graph.
struct PairsAtDistance {
  std::uint32_t distance = 1;  ///< edges on the shortest path
  std::size_t pairs = 0;
  Quantiles share =
      {};  ///< P_uu, exact; 1 is the loss against an observer of the noisy value itself
  Quantiles epsilon = {};    ///< at the delta of the question
  Quantiles published = {};  ///< F_uv, at most 1: not a bound
};

/// What `trilemma privacy network` reports.
struct NetworkPrivacyAnswer {
  NetworkPrivacyQuestion question;
  std::string weights;
  std::size_t viewers = 0;       ///< nodes v of the pairs
  bool nodes_are_alike = false;  ///< one viewer stands for all
  std::size_t dimension = 0;     ///< largest number of independent values that a viewer learns
  double local_epsilon = 0;      ///< against an observer of the noisy value itself
  std::vector<PairsAtDistance> distances = {};  ///< ascending
};

/// Returns the answer. Throws UserError if a number is out of range or the graph too large.
NetworkPrivacyAnswer network_privacy(const NetworkPrivacyQuestion& question);

/// Returns the answer as lines for the terminal; neighbouring distances with equal numbers share a
/// line.
std::string to_text(const NetworkPrivacyAnswer& answer);

}  // namespace trilemma
