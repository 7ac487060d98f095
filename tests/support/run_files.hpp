#pragma once
// Run files made by tests.

#include "record/run_file.hpp"

namespace trilemma::testing {

/// A run of three clients on two ranks, ten rounds planned.
RunIdentity sample_identity();
/// Round t with objective 1/(1+t), counts that grow with t.
RunRow sample_row(std::int64_t t);
/// Phase seconds of one round: rank + phase / 10.
std::vector<double> sample_phases();
inline const std::vector<std::string> sample_phase_names{"local", "exchange", "record"};

}  // namespace trilemma::testing
