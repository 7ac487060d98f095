#include "experiment/graph_answer.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "experiment/plan.hpp"

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

const char* weights_of(const GraphOptions& options, const Graph& graph) {
  if (!graph.has_stated_weights()) return name(options.weights);
  return options.weights == MixingWeights::lazy ? "half of the file's" : "the file's";
}

}  // namespace

const char* NamedGraph::weights() const { return weights_of(options, graph); }

GraphAnswer describe(const GraphOptions& options, const Graph& graph) {
  GraphAnswer answer{.kind = options.kind, .weights = weights_of(options, graph)};
  answer.nodes = graph.nodes();
  answer.edges = graph.edges();
  answer.least_degree = answer.most_degree = graph.degree(0);
  for (std::uint32_t i = 0; i < graph.nodes(); ++i) {
    answer.least_degree = std::min(answer.least_degree, graph.degree(i));
    answer.most_degree = std::max(answer.most_degree, graph.degree(i));
  }
  answer.mean_degree = 2 * static_cast<double>(graph.edges()) / graph.nodes();
  answer.redraws = graph.redraws();
  answer.spectrum = spectrum_of(graph);
  return answer;
}

NamedGraph graph_of(const GraphQuestion& question) {
  std::vector<std::string> overrides = {"graph.kind=" + question.kind};
  overrides.insert(overrides.end(), question.overrides.begin(), question.overrides.end());
  const Settings settings = Settings::from_text("", "trilemma graph", overrides);
  const GraphOptions options = read_graph(settings);
  settings.refuse_unused();
  const auto nodes = static_cast<std::uint32_t>(question.nodes);
  const EdgeList edges =
      options.edges(nodes, static_cast<std::uint64_t>(question.seed.value_or(1)));
  return {.options = options, .graph = Graph(nodes, edges, options.weights)};
}

GraphAnswer graph_answer(const GraphQuestion& question) {
  const NamedGraph named = graph_of(question);
  return describe(named.options, named.graph);
}

std::optional<GraphRecord> graph_record(const Plan& plan) {
  if (!plan.is_decentralised()) return std::nullopt;
  const GraphAnswer answer = describe(plan.graph_options, *plan.graph);
  return GraphRecord{.kind = answer.kind,
                     .weights = answer.weights,
                     .edges = static_cast<std::int64_t>(answer.edges),
                     .least_degree = answer.least_degree,
                     .most_degree = answer.most_degree,
                     .mean_degree = answer.mean_degree,
                     .second_eigenvalue = answer.spectrum.second,
                     .least_eigenvalue = answer.spectrum.least,
                     .spectral_gap = answer.spectrum.gap,
                     .is_converged = answer.spectrum.is_converged,
                     .redraws = answer.redraws};
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
