#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace trilemma {

class State;

/// Traffic and computing times of the rounds of a run, read from its file.
struct RunTraffic {
  /// Totals since the start of the run.
  struct Row {
    double round = 0;
    double accuracy = 0;  ///< on test records; NaN if the state was not evaluated
    double messages = 0;
    double bits_up = 0;         ///< payload bits
    double client_seconds = 0;  ///< sum over all clients
    double server_seconds = 0;
  };

  struct Edge {
    std::uint32_t a = 0, b = 0;
  };

  std::string path, method, compressor, exchange;
  std::string compressor_kind, compressor_label;  ///< attributes of the file
  std::string data;                               ///< in words
  /// Settings that distinguish data sets, by dotted path. Scaling is not among them, since
  /// privacy.strict omits it.
  std::map<std::string, std::string> data_settings;
  long ranks = 1, clients = 1, dimension = 0;
  bool server_hosts = false;
  bool sums_on_ranks = false;  ///< whether the uplink exchanges sums
  bool on_a_clock = false;     ///< whether clients start at different, simulated times
  bool is_simulated = false;   ///< run on simulated ranks, with simulated computing times
  double sum_bytes = 0;        ///< bytes contributed by a rank per round if sums are exchanged
  double model_bytes = 0;      ///< mean bytes to one receiver per round
  /// Secure aggregation: mean bytes of keys, shares and answers of a client per round, which the
  /// run counts and does not send.
  double mask_bytes_up = 0, mask_bytes_down = 0;
  /// Decentralised methods: the nodes that exchange messages, smaller number first; otherwise
  /// empty.
  std::vector<Edge> edges;
  bool passes_rank_0 = false;  ///< whether rank 0 gathers and broadcasts the messages of nodes
  double spectral_gap = std::numeric_limits<double>::quiet_NaN();  ///< of the graph; NaN: not known
  std::vector<Row> rows;

  bool is_decentralised() const { return !edges.empty(); }

  /// Saves or restores the values, which a subprocess reads.
  void persist(State& state);
};

/// Reads the traffic of a run in a subprocess. Throws UserError for a run without rounds or phase
/// times (timing.enabled), or one that sends nothing.
RunTraffic read_traffic(const std::string& path);

}  // namespace trilemma
