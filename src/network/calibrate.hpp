#pragma once

#include <string>
#include <vector>

namespace trilemma {

/// What the command line of `trilemma calibrate` says.
struct CalibrateOptions {
  std::string output = "network.h5";
  std::string largest = "16MiB";   ///< message
  std::vector<std::string> sizes;  ///< of further messages, such as those of the runs to predict
  double seconds = 1;              ///< per size and operation
  bool overwrite = false, json = false, quiet = false;
};

/// `trilemma calibrate`, on every rank of a job; the result is the exit code.
int calibrate_command(const CalibrateOptions& options, int argc, char** argv);

}  // namespace trilemma
