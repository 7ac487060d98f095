#pragma once

#include "network/predict.hpp"

namespace trilemma {

/// What the command line of `trilemma predict` says.
struct PredictOptions {
  std::vector<std::string> runs;
  std::string network;             ///< a file of `trilemma calibrate`; empty: as described here
  std::string topology;            ///< of topology_names; empty: calibrated with a file, else star
  double latency = 0;              ///< s, one way
  std::vector<double> bandwidths;  ///< bit/s; empty: 1 Mbit/s to 100 Gbit/s
  std::vector<int> ranks;          ///< empty: as measured, or one for the server and each client
  std::optional<double> accuracy;
};

/// A call of a run whose times are not known to an accuracy of `most_fit_error`.
struct Unknown {
  std::size_t run;
  Operation operation;
  double bytes;
  double doubt;  ///< relative error of these times
};

/// What runs would take on one network.
struct NetworkPrediction {
  Network network;
  std::vector<std::optional<Prediction>> runs;  ///< nothing: does not reach the accuracy
  /// Returns the calls that prevent a ranking. Calls that take less than a twentieth of the time of
  /// a run's messages do not count.
  std::vector<Unknown> unknown() const;
  /// Returns the run that finishes first; nothing if none reaches the accuracy, or some calls are
  /// unknown.
  std::optional<std::size_t> fastest() const;
};

/// Where one run takes the place of another as the faster.
struct Crossing {
  int ranks;
  std::size_t below, above;  ///< the faster run below the bandwidth and above it
  double bandwidth;          ///< bit/s
};

struct PredictAnswer {
  PredictOptions asked;
  std::vector<RunTraffic> runs;
  std::vector<NetworkPrediction> networks;  ///< by number of ranks, then by bandwidth; at least one
  std::vector<Crossing> crossings;          ///< of all pairs; none for a measured network
};

/// Reads the runs and the network; refuses what cannot be compared or predicted.
PredictAnswer predict_answer(const PredictOptions& options);

/// Returns the limitations of the predictions, a sentence each: runs that were evaluated at
/// different rounds, idle ranks, a poorly measured network, calls without a fit.
std::vector<std::string> notes_of(const PredictAnswer& answer);

/// In words, for people.
std::string to_text(const PredictAnswer& answer);

}  // namespace trilemma
