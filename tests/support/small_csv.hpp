#pragma once

namespace trilemma::testing {

/// Two clients with the records of a.csv: feature a, target y, as they are.
inline constexpr const char* csv_experiment = R"(
method = "fedavg"
clients = 2
[data]
source = "csv"
train = "a.csv"
target = "y"
features = 1
classes = 0
bias = false
scaling = "none"
)";

}  // namespace trilemma::testing
