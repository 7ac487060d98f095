// The command graph: properties of the graphs of decentralised methods.

#include <memory>

#include "base/standard_output.hpp"
#include "base/wrapped.hpp"
#include "cli/command.hpp"
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

// A mistake of a setting has no place here: no file holds it.
GraphAnswer answered(const GraphQuestion& question) {
  try {
    return graph_answer(question);
  } catch (const UserError& error) {
    Mistake mistake = error.mistake();
    if (mistake.place == SourcePlace::command_line()) mistake.place = {};
    throw UserError(mistake);
  }
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
  struct Key {
    const char *option, *key, *help;
  };
  const Key keys[] = {
      {"--weights", "weights", "metropolis (default), lazy, uniform or best-constant"},
      {"--rows", "rows", "torus: rows, at least 3 (default: as square as possible)"},
      {"--probability", "probability", "erdos-renyi: probability of an edge (default: 0.5)"},
      {"--file", "file", "file: lines NODE NODE or NODE NODE WEIGHT"},
  };
  for (const Key& key : keys)
    graph->add_option_function<std::string>(
        key.option,
        [question, name = std::string(key.key)](const std::string& value) {
          question->overrides.push_back("graph." + name + "=" + value);
        },
        key.help);
  graph->add_option("--seed", question->seed, "erdos-renyi: seed of the draw")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  graph->add_flag("--json", *json, "print JSON");
  return {graph, [question, json] {
            const GraphAnswer answer = answered(*question);
            print("{}", *json ? to_json(answer) : fitted(to_text(answer), output_columns()));
            return 0;
          }};
}

}  // namespace trilemma
