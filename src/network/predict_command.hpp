#pragma once

#include "base/standard_output.hpp"
#include "network/predict.hpp"

namespace trilemma {

/// Command-line options of `trilemma predict`.
struct PredictOptions {
  std::vector<std::string> runs;
  std::string network;   ///< a file of `trilemma calibrate`; empty: described by the options below
  std::string topology;  ///< one of topology_names; empty: calibrated with a file, otherwise star
  double latency = 0;    ///< s, one way
  std::vector<double> bandwidths;  ///< bit/s; empty: 1 Mbit/s to 100 Gbit/s
  std::vector<int> ranks;          ///< empty: as measured, or one for the server and one per client
  std::optional<double> accuracy;
  bool is_wide = false;  ///< print all networks, however wide
};

/// A call of a run whose time is not known to within `most_fit_error`.
struct Unknown {
  std::size_t run;
  Operation operation;
  double bytes;
  double doubt;  ///< relative error of its time
};

/// Predicted times of runs on one network.
struct NetworkPrediction {
  Network network;
  std::vector<std::optional<Prediction>> runs;  ///< nullopt: the run does not reach the accuracy
  /// Returns the calls that prevent a ranking. Calls that take less than a twentieth of the time of
  /// a run's messages are ignored.
  std::vector<Unknown> unknown() const;
  /// Returns the run that finishes first; nullopt if none reaches the accuracy, or if some calls
  /// are unknown.
  std::optional<std::size_t> fastest() const;
};

/// A bandwidth at which one run becomes faster than another.
struct Crossing {
  int ranks;
  std::size_t below, above;  ///< the faster run below the bandwidth and above it
  double bandwidth;          ///< bit/s
};

/// The answer of `trilemma predict`.
struct PredictAnswer {
  PredictOptions asked;
  std::vector<RunTraffic> runs;
  std::vector<NetworkPrediction> networks;  ///< by number of ranks, then by bandwidth; at least one
  std::vector<Crossing> crossings;          ///< of all pairs; empty for a measured network
};

/// Reads the runs and the network, and predicts all times. Throws UserError for runs that cannot be
/// compared or predicted.
PredictAnswer predict_answer(const PredictOptions& options);

/// Returns the limitations of the predictions, one sentence each: runs that were evaluated at
/// different rounds, idle ranks, a poorly measured network, calls without a fit.
std::vector<std::string> notes_of(const PredictAnswer& answer);

/// Returns the answer as text for people, in lines of at most `columns` characters unless it is
/// asked to be wide.
std::string to_text(const PredictAnswer& answer, std::size_t columns = output_columns());

}  // namespace trilemma
