#pragma once

#include <map>
#include <string>
#include <vector>

namespace trilemma {

class State;

/// What the rounds of a run have sent and computed, read from its file.
struct RunTraffic {
  /// Totals since the start.
  struct Row {
    double round = 0;
    double accuracy = 0;  ///< on test records; NaN where the state was not evaluated
    double messages = 0;
    double bits_up = 0;         ///< payload
    double client_seconds = 0;  ///< over all clients
    double server_seconds = 0;
  };

  std::string path, method, compressor, exchange;
  std::string compressor_kind, compressor_label;  ///< attributes of the file
  std::string data;                               ///< in words
  /// Settings that tell data apart, by dotted path. Scaling does not: privacy.strict omits it.
  std::map<std::string, std::string> data_settings;
  long ranks = 1, clients = 1, dimension = 0;
  bool server_hosts = false;
  bool sums_on_ranks = false;  ///< of its kind of uplink
  bool on_a_clock = false;     ///< clients start at different times, simulated ones
  bool is_simulated = false;   ///< on simulated ranks, with times of computing to match
  double sum_bytes = 0;        ///< handed in by a rank and round then
  double model_bytes = 0;      ///< to one receiver and round, in the mean
  std::vector<Row> rows;

  void persist(State& state);
};

/// Reads it in a process of its own. Refuses a run without rounds, without phase times
/// (timing.enabled), or that sends nothing.
RunTraffic read_traffic(const std::string& path);

}  // namespace trilemma
