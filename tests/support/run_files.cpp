#include "tests/support/run_files.hpp"

#include <limits>

namespace trilemma::testing {

RunIdentity sample_identity() {
  RunIdentity id;
  id.name = "NAME";
  id.method = "cdp-sgd";
  id.mode = "private";
  id.problem = "logistic, d = 3";
  id.data = "synthetic";
  id.compressor = "rand-k";
  id.claim = "not a private run: a test of the façade";  // not ASCII
  id.privacy.dp_claim = "none";
  id.config = "a = 1\n[b]\nc = \"x\"\n";
  id.environment = {{"cpu", "a machine"}, {"slurm", ""}, {"real", real_name}, {"data_files", ""}};
  id.seed = 5;
  id.rounds = 10;
  id.clients = 3;
  id.dimension = 4;
  id.ranks = 2;
  id.noise_sigma = 0.25;
  id.epsilon_nominal = std::numeric_limits<double>::quiet_NaN();
  id.delta = 1e-3;
  id.partition.number = {{"records_least", 4}, {"records_most", 6}};
  return id;
}

RunRow sample_row(std::int64_t t) {
  const auto count = static_cast<std::uint64_t>(t);
  RunRow row;
  row.round = t;
  row.objective = 1.0 / (1.0 + static_cast<double>(t));
  row.gradient_norm_squared = 2 * row.objective;
  row.utility = 3 * row.objective;
  row.accuracy = 0.5;
  row.epsilon = std::numeric_limits<double>::quiet_NaN();
  row.bits_up_model = 10 * count;
  row.bits_up_payload = 11 * count;
  row.bits_down_model = 12 * count;
  row.bits_down_payload = 13 * count;
  row.batch_records = 14 * count;
  row.messages = 19 * count;
  row.mpi_bits_up = 15 * count;
  row.mpi_bits_down = 16 * count;
  row.mpi_bits_evaluation = 17 * count;
  row.mpi_bits_control = 18 * count;
  return row;
}

std::vector<double> sample_phases() { return {0.0, 0.1, 0.2, 1.0, 1.1, 1.2}; }

}  // namespace trilemma::testing
