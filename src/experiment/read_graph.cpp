#include "experiment/read_graph.hpp"

namespace trilemma {

GraphOptions read_graph(const Settings& experiment) {
  Settings section = experiment.section("graph");
  GraphOptions options;
  const auto& kind = choose(graphs(), section, "kind", "ring",
                            "which nodes are neighbours, in decentralised methods");
  options.kind = kind.name;
  options.edges = kind.read(section);
  options.is_from_file = section.has("file");
  Reader r(section);
  r("weights", options.weights,
    {{"metropolis", MixingWeights::metropolis, "1 / (1 + the larger degree of both nodes)"},
     {"lazy", MixingWeights::lazy,
      "half of metropolis or of the weights in the file, so that all eigenvalues are above 0"},
     {"uniform", MixingWeights::uniform, "1 / (1 + degree); all degrees must be equal"},
     {"best-constant", MixingWeights::best_constant,
      "one weight for all edges, with the largest spectral gap"}},
    "weights of the edges in the mixing matrix");
  return options;
}

}  // namespace trilemma
