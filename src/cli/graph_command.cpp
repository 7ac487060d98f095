// The command graph: properties of the graphs of decentralised methods.

#include <memory>

#include "base/standard_output.hpp"
#include "base/wrapped.hpp"
#include "cli/command.hpp"
#include "cli/graph_options.hpp"
#include "cli/json.hpp"
#include "experiment/graph_answer.hpp"

namespace trilemma {
namespace {

std::string to_json(const GraphAnswer& answer) {
  const Spectrum& s = answer.spectrum;
  return text_of({{"kind", answer.kind},
                  {"nodes", answer.nodes},
                  {"edges", answer.edges},
                  {"degree_least", answer.least_degree},
                  {"degree_mean", answer.mean_degree},
                  {"degree_most", answer.most_degree},
                  {"weights", answer.weights},
                  {"second_eigenvalue", s.second},
                  {"least_eigenvalue", s.least},
                  {"spectral_gap", s.gap},
                  {"consensus_rate", s.rho()},
                  {"rounds_per_tenth", answer.rounds_for(10)},
                  {"is_converged", s.is_converged},
                  {"redraws", answer.redraws}});
}

}  // namespace

Command add_graph_command(CLI::App& parent) {
  auto question = std::make_shared<GraphQuestion>();
  auto json = std::make_shared<bool>(false);
  auto* graph = parent.add_subcommand(
      "graph",
      "show degrees, spectral gap and consensus rate of a graph, for decentralised methods");
  graph
      ->add_option("kind", question->kind,
                   "ring, torus, complete, star, exponential, hypercube, erdos-renyi or file")
      ->required();
  graph->add_option("nodes", question->nodes, "number of nodes")
      ->required()
      ->check(CLI::Range(2L, most_nodes));
  add_graph_options(*graph, *question);
  graph->add_flag("--json", *json, "print JSON");
  return {graph, [question, json] {
            without_place([&] {
              const GraphAnswer answer = graph_answer(*question);
              print("{}", *json ? to_json(answer) : fitted(to_text(answer), output_columns()));
            });
            return 0;
          }};
}

}  // namespace trilemma
