#pragma once

#include <string>
#include <vector>

namespace trilemma {

/// Command-line options of `trilemma calibrate`.
struct CalibrateOptions {
  std::string output = "network.h5";
  std::string largest = "16MiB";  ///< size of the largest message
  std::vector<std::string>
      sizes;           ///< sizes of further messages, such as those of the runs to predict
  double seconds = 1;  ///< per size and operation
  bool overwrite = false, json = false, quiet = false;
};

/// Runs `trilemma calibrate` on every rank of a job. Returns the exit code.
int calibrate_command(const CalibrateOptions& options, int argc, char** argv);

}  // namespace trilemma
