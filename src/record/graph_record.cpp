#include "record/graph_record.hpp"

#include "base/text.hpp"

namespace trilemma {
namespace {

const Fields<GraphRecord> graph_table = {
    field("graph_kind", &GraphRecord::kind, "1", "name of the graph in `trilemma list`"),
    field("graph_weights", &GraphRecord::weights, "1", "weights of the edges, as `graph.weights`"),
    field("graph_edges", &GraphRecord::edges, "1", "number of edges"),
    field("graph_degree_least", &GraphRecord::least_degree, "1", "smallest degree of a node"),
    field("graph_degree_most", &GraphRecord::most_degree, "1", "largest degree of a node"),
    field("graph_degree_mean", &GraphRecord::mean_degree, "1", "mean degree"),
    field("graph_second_eigenvalue", &GraphRecord::second_eigenvalue, "1",
          "lambda_2, the second largest eigenvalue of the mixing matrix"),
    field("graph_least_eigenvalue", &GraphRecord::least_eigenvalue, "1",
          "lambda_n, its smallest eigenvalue"),
    field("graph_spectral_gap", &GraphRecord::spectral_gap, "1",
          "1 - rho, rho = max(abs(lambda_2), abs(lambda_n))"),
    field("graph_converged", &GraphRecord::is_converged, "1",
          "whether the eigenvalues are known to about ten digits; otherwise the gap is at most "
          "`graph_spectral_gap`"),
    field("graph_redraws", &GraphRecord::redraws, "1",
          "draws of a random graph before this one, none of which was connected"),
    field("graph_model", &GraphRecord::model, "1",
          "the model of `/model/final` and of the evaluated columns: `mean of the nodes`"),
};

}  // namespace

const Fields<GraphRecord>& graph_fields() { return graph_table; }

std::optional<GraphRecord> read_graph_record(const h5::Object& file) {
  return read_fields(file, graph_table);
}

std::string in_words(const GraphRecord& r) {
  const std::string degree =
      r.least_degree == r.most_degree
          ? fmt::format("{}", r.least_degree)
          : fmt::format("{} to {}, mean {:.4g}", r.least_degree, r.most_degree, r.mean_degree);
  std::string text = fmt::format(
      "{}, degree {}, weights {}; spectral gap {}{:.6g}, least eigenvalue {:.6g}", r.kind, degree,
      r.weights, r.is_converged ? "" : "at most ", r.spectral_gap, r.least_eigenvalue);
  if (r.redraws > 0)
    text += fmt::format("; drawn again {}, until it was connected",
                        counted(static_cast<std::size_t>(r.redraws), "time"));
  return text;
}

}  // namespace trilemma
