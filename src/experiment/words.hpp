#pragma once
// Descriptions of a plan for run files, claims and messages.

#include "experiment/plan.hpp"

namespace trilemma {

/// Returns the folder of the data files: `given` (--data-dir), otherwise $TRILEMMA_DATA_DIR,
/// otherwise "data".
std::string data_folder(const std::string& given);

/// Describes what must be the same on all ranks, for same_everywhere().
std::string shape_and_settings(const Plan& plan);

/// Describes the source of the records and their preprocessing; `scaling` describes the latter.
std::string records_in_words(const Plan& plan, const std::string& scaling);

/// Returns the same, followed by `partition`, which describes the partition over the clients.
std::string data_in_words(const Plan& plan, const std::string& scaling,
                          const std::string& partition);

/// Returns a note if the data have a constant feature and the model has a bias; otherwise empty.
std::string note_on_bias(const Plan& plan);

/// Describes what a client computes between two messages: its solver or estimator, steps,
/// minibatches and step size.
std::string local_work_in_words(const Plan& plan);

/// Describes the generator of noise and minibatches.
std::string generator_in_words(const Plan& plan);

/// Describes noise of standard deviation `sigma` per coordinate, and where it is added.
std::string noise_in_words(const Plan& plan, double sigma);

}  // namespace trilemma
