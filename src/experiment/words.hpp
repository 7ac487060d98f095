#pragma once
// A plan in words, as run files, claims and messages have them.

#include "experiment/plan.hpp"

namespace trilemma {

/// Where data files are looked for: --data-dir, else $TRILEMMA_DATA_DIR, else data.
std::string data_folder(const std::string& given);

/// What must be the same on all ranks, for same_everywhere().
std::string shape_and_settings(const Plan& plan);

/// Where the records come from and what was done to them, in words.
std::string records_in_words(const Plan& plan, const std::string& scaling);

/// The same, followed by `partition`, which describes how the records are spread over clients.
std::string data_in_words(const Plan& plan, const std::string& scaling,
                          const std::string& partition);

/// What follows from a constant feature where the model has a bias of its own; else empty.
std::string note_on_bias(const Plan& plan);

/// The source of the randomness of noise and minibatches.
std::string generator_in_words(const Plan& plan);

/// The noise of a run of standard deviation `sigma` per coordinate, and who adds it.
std::string noise_in_words(const Plan& plan, double sigma);

}  // namespace trilemma
