#pragma once

#include <string>

#include "schedule/graph.hpp"

namespace trilemma {

/// A graph as an experiment describes it.
struct GraphOptions {
  std::string kind;  ///< row of graphs()
  bool is_from_file = false;
  GraphMaker edges;
  MixingWeights weights = MixingWeights::metropolis;
};

/// Reads the section [graph] of an experiment.
GraphOptions read_graph(const Settings& experiment);

}  // namespace trilemma
