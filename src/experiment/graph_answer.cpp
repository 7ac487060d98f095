#include "experiment/graph_answer.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "experiment/read_graph.hpp"

namespace trilemma {
namespace {

const char* name(MixingWeights weights) {
  constexpr const char* names[] = {"metropolis", "lazy", "uniform", "best-constant"};
  return names[static_cast<int>(weights)];
}

std::string degree_in_words(const GraphAnswer& answer) {
  if (answer.least_degree == answer.most_degree) return fmt::format("{}", answer.least_degree);
  return fmt::format("{} to {}, mean {:.4g}", answer.least_degree, answer.most_degree,
                     answer.mean_degree);
}

}  // namespace

NamedGraph graph_of(const GraphQuestion& question) {
  std::vector<std::string> overrides = {"graph.kind=" + question.kind};
  overrides.insert(overrides.end(), question.overrides.begin(), question.overrides.end());
  const Settings settings = Settings::from_text("", "trilemma graph", overrides);
  const GraphOptions options = read_graph(settings);
  settings.refuse_unused();
  const auto nodes = static_cast<std::uint32_t>(question.nodes);
  const EdgeList edges = options.edges(nodes, static_cast<std::uint64_t>(question.seed));
  NamedGraph named{.kind = options.kind,
                   .weights = name(options.weights),
                   .redraws = edges.redraws,
                   .graph = Graph(nodes, edges, options.weights)};
  if (!edges.weights.empty())
    named.weights = options.weights == MixingWeights::lazy ? "half of the file's" : "the file's";
  return named;
}

GraphAnswer graph_answer(const GraphQuestion& question) {
  const NamedGraph named = graph_of(question);
  const Graph& graph = named.graph;
  const std::uint32_t nodes = graph.nodes();
  GraphAnswer answer{.kind = named.kind, .weights = named.weights};
  answer.nodes = question.nodes;
  answer.edges = graph.edges();
  answer.least_degree = answer.most_degree = graph.degree(0);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    answer.least_degree = std::min(answer.least_degree, graph.degree(i));
    answer.most_degree = std::max(answer.most_degree, graph.degree(i));
  }
  answer.mean_degree = 2 * static_cast<double>(graph.edges()) / nodes;
  answer.redraws = named.redraws;
  answer.spectrum = spectrum_of(graph);
  return answer;
}

double GraphAnswer::rounds_for(double factor) const {
  return spectrum.gap >= 1 ? 0 : -std::log(factor) / std::log1p(-spectrum.gap);
}

std::string to_text(const GraphAnswer& answer) {
  const Spectrum& s = answer.spectrum;
  const char* bound = s.is_converged ? "" : "at least ";
  std::string text =
      fmt::format("{} of {} nodes, {}\n", answer.kind, answer.nodes, counted(answer.edges, "edge"));
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", name, value);
  };
  line("degree", degree_in_words(answer));
  line("weights", answer.weights);
  line("second eigenvalue", fmt::format("{:.8g}", s.second));
  line("least eigenvalue", fmt::format("{:.8g}", s.least));
  line("spectral gap", fmt::format("{}{:.6g}", s.is_converged ? "" : "at most ", s.gap));
  line("consensus rate", fmt::format("{}{:.8g}: factor on the distance of the nodes from their "
                                     "mean in a round",
                                     bound, s.rho()));
  line("rounds", s.gap >= 1 ? "1 to reach the mean"
                            : fmt::format("{}{:.5g} to divide this distance by 10", bound,
                                          answer.rounds_for(10)));
  if (answer.redraws > 0)
    line("drawn again", fmt::format("{}, since {} not connected", counted(answer.redraws, "time"),
                                    answer.redraws == 1 ? "a draw was" : "these draws were"));
  return text;
}

}  // namespace trilemma
