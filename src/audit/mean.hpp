#pragma once
// `trilemma mean`: distributed mean estimation, the error of private mechanisms at equal epsilon.

#include <functional>
#include <string>
#include <vector>

namespace trilemma {

/// Options of `trilemma mean`.
struct MeanOptions {
  long clients = 500;
  long dimension = 1000;
  std::string law = "signs";
  double norm = 1;
  double epsilon = 1;
  double delta = 1e-6;
  std::string relation = "replace_one";
  std::vector<std::string> mechanisms;  ///< empty = all
  std::vector<double>
      bits;  ///< of a coordinate, for mechanisms that have a choice; empty = default
  std::vector<std::string> overrides;
  long repetitions = 10;
};

/// Error of one mechanism. An error is the squared distance of the estimate from the mean.
struct MeanResult {
  std::string mechanism;
  std::string trusted;       ///< server or protocol that the claim relies on
  double bits = 0;           ///< that a client sends, on average
  double bits_of_masks = 0;  ///< further bits of keys and shares of secure aggregation
  double error = 0;          ///< mean over the repetitions
  double half_width = 0;     ///< of its 95 % interval (Student's law)
  double expected = 0;       ///< by the formula of the mechanism
  double epsilon = 0;        ///< certified
  std::string refused = {};  ///< why the settings do not allow the mechanism; then nothing else
};

/// Returns the names of the mechanisms.
std::vector<std::string> mean_mechanisms();

/// Prints the results.
using ShowMeans = std::function<void(const std::vector<MeanResult>&)>;

/// Runs `trilemma mean`, passes its results to `show` and returns the exit code.
int mean_command(const MeanOptions& options, int argc, char** argv, const ShowMeans& show);

}  // namespace trilemma
