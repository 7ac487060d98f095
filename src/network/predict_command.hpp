#pragma once

#include "network/predict.hpp"

namespace trilemma {

/// What the command line of `trilemma predict` says.
struct PredictOptions {
  std::vector<std::string> runs;
  std::string network;             ///< a file of `trilemma calibrate`; empty: a star
  double latency = 0;              ///< s, one way
  std::vector<double> bandwidths;  ///< bit/s; empty: 1 Mbit/s to 100 Gbit/s
  int ranks = 0;                   ///< 0: as measured, or one for the server and each client
  std::optional<double> accuracy;
};

/// What runs would take on one network.
struct NetworkPrediction {
  Network network;
  std::vector<std::optional<Prediction>> runs;  ///< nothing: does not reach the accuracy
  /// The run that is done first; nothing where none reaches the accuracy.
  std::optional<std::size_t> fastest() const;
};

/// Where one run takes the place of another as the faster.
struct Crossing {
  std::size_t below, above;  ///< the faster run below the bandwidth and above it
  double bandwidth;          ///< bit/s
};

struct PredictAnswer {
  PredictOptions asked;
  std::vector<RunTraffic> runs;
  std::vector<NetworkPrediction> networks;  ///< one, or one for each bandwidth
  std::vector<Crossing> crossings;          ///< of all pairs; none for a measured network
};

/// Reads the runs and the network; refuses what cannot be compared or predicted.
PredictAnswer predict_answer(const PredictOptions& options);

/// What is to be said where runs up to an accuracy were evaluated at different rounds; else empty.
std::string grids_note(const PredictAnswer& answer);

/// What is to be said where the network was measured badly: ranks shared cores, or its times are
/// hardly known; else empty.
std::string measuring_note(const PredictAnswer& answer);

/// What is to be said where the line that stands for a measured network does not fit it; else
/// empty.
std::string fit_note(const PredictAnswer& answer);

/// In words, for people.
std::string to_text(const PredictAnswer& answer);

}  // namespace trilemma
