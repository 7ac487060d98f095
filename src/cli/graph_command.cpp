// The command graph: properties of the graphs of decentralised methods.

#include <filesystem>
#include <memory>

#include "base/check.hpp"
#include "base/standard_output.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "experiment/file_kind.hpp"
#include "experiment/graph_answer.hpp"
#include "experiment/plan.hpp"
#include "experiment/unread.hpp"
#include "experiment/words.hpp"

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

bool is_experiment(const std::filesystem::path& word) { return word.extension() == ".toml"; }

// Returns the graph of an experiment, with the settings of the command line.
GraphAnswer graph_of_experiment(const GraphQuestion& question, const std::string& folder,
                                std::vector<std::string> overrides) {
  overrides.insert(overrides.end(), question.overrides.begin(), question.overrides.end());
  require(question.nodes == 0 && !question.seed,
          "{}: the experiment states nodes and seed; change them with --set clients=... and --set "
          "seed=...",
          question.kind);
  require_experiment(question.kind);
  DataFolder data(data_folder(folder));
  const Plan plan = read_named_plan(Settings::from_file(question.kind, overrides), &data);
  require(plan.is_decentralised(), "{}: {} has a server and no graph; name a decentralised method",
          question.kind, plan.method_name);
  return describe(plan.graph_options, *plan.graph);
}

GraphAnswer answer_to(const GraphQuestion& question, const std::string& folder,
                      const std::vector<std::string>& overrides) {
  if (is_experiment(question.kind)) return graph_of_experiment(question, folder, overrides);
  require(overrides.empty(), "--set: changes an experiment; name its file");
  require(question.nodes > 0, "graph {}: the number of nodes is missing; give it after the kind",
          question.kind);
  GraphAnswer answer;
  without_place([&] { answer = graph_answer(question); });
  return answer;
}

}  // namespace

Command add_graph_command(CLI::App& parent) {
  auto question = std::make_shared<GraphQuestion>();
  auto folder = std::make_shared<std::string>();
  auto overrides = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  auto* graph = parent.add_subcommand(
      "graph",
      "show degrees, spectral gap and consensus rate of a graph, for decentralised methods");
  graph
      ->add_option("kind", question->kind,
                   "ring, torus, complete, star, exponential, hypercube, erdos-renyi or file; or "
                   "an experiment file (*.toml), whose graph is shown")
      ->required();
  graph->add_option("nodes", question->nodes, "number of nodes, unless an experiment states it")
      ->check(CLI::Range(2L, most_nodes));
  add_graph_options(*graph, *question);
  add_overrides(*graph, *overrides);
  add_data_folder(*graph, *folder);
  graph->add_flag("--json", *json, "print JSON");
  return {graph, [question, folder, overrides, json] {
            const GraphAnswer answer = answer_to(*question, *folder, *overrides);
            print("{}", *json ? to_json(answer) : fitted(to_text(answer), output_columns()));
            return 0;
          }};
}

}  // namespace trilemma
