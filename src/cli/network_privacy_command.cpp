// The command privacy network: what nodes that average learn of each other.

#include <memory>

#include "base/read_number.hpp"
#include "base/standard_output.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/network_privacy.hpp"
#include "cli/privacy_answer.hpp"
#include "experiment/graph_answer.hpp"

namespace trilemma {
namespace {

nlohmann::ordered_json to_json(const Quantiles& q) {
  return {{"least", number(q.least)}, {"median", number(q.median)}, {"most", number(q.most)}};
}

std::string to_json(const NetworkPrivacyAnswer& answer) {
  const NetworkPrivacyQuestion& q = answer.question;
  nlohmann::ordered_json distances = nlohmann::ordered_json::array();
  for (const PairsAtDistance& row : answer.distances)
    distances.push_back({{"distance", row.distance},
                         {"pairs", row.pairs},
                         {"share", to_json(row.share)},
                         {"epsilon", to_json(row.epsilon)},
                         {"published_not_a_bound", to_json(row.published)}});
  return text_of({{"kind", q.graph.kind},
                  {"nodes", q.graph.nodes},
                  {"weights", answer.weights},
                  {"steps", q.steps},
                  {"sigma", q.sigma},
                  {"distance", q.distance},
                  {"delta", q.delta},
                  {"viewers", answer.viewers},
                  {"nodes_are_alike", answer.nodes_are_alike},
                  {"dimension", answer.dimension},
                  {"epsilon_local", number(answer.local_epsilon)},
                  {"distances", distances}});
}

// Reads "ring:1024".
void read_kind_and_nodes(const std::string& text, GraphQuestion& graph) {
  const auto colon = text.rfind(':');
  const FoundNumber nodes = read_number(colon == std::string::npos ? "" : text.substr(colon + 1));
  require(colon > 0 && nodes.text == NumberText::number && nodes.value == std::floor(nodes.value) &&
              nodes.value >= 2 && nodes.value <= most_nodes,
          "--graph {}: write KIND:NODES with 2 to {} nodes, such as ring:1024", text, most_nodes);
  graph.kind = text.substr(0, colon);
  graph.nodes = static_cast<long>(nodes.value);
}

}  // namespace

Command add_network_privacy_command(CLI::App& family) {
  auto question = std::make_shared<NetworkPrivacyQuestion>();
  auto graph = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto* app = family.add_subcommand(
      "network", "epsilon between pairs of nodes that average noisy values without a server");
  app->add_option("--graph", *graph, "KIND:NODES, such as ring:1024; kinds as in trilemma graph")
      ->required();
  app->add_option("--steps", question->steps,
                  "rounds of averaging, in each of which every node sends its value")
      ->required();
  app->add_option("--sigma", question->sigma,
                  "standard deviation of the noise on each coordinate of a start value")
      ->required();
  app->add_option("--distance", question->distance,
                  "largest distance between two start values of a node")
      ->capture_default_str();
  app->add_option("--delta", question->delta, "delta of the guarantee")->required();
  app->add_option(
      "--viewers", question->viewers,
      "nodes that look at the others, spread evenly over all (default: 1 if all nodes are alike, "
      "otherwise up to 64)");
  add_graph_options(*app, question->graph);
  app->add_flag("--json", *json, "print JSON");
  return {app, [question, graph, json] {
            return guarded([&] {
              read_kind_and_nodes(*graph, question->graph);
              without_place([&] {
                const NetworkPrivacyAnswer answer = network_privacy(*question);
                print("{}", *json ? to_json(answer) : fitted(to_text(answer), output_columns()));
              });
              return 0;
            });
          }};
}

}  // namespace trilemma
