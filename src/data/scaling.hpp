#pragma once

#include <string>

#include "data/dataset.hpp"
#include "data/preprocessing.hpp"

namespace trilemma {

/// Appends a feature with constant value 1 after the last column (sparse rows).
void append_bias(Dataset& data);

/// Returns the largest singular value of the row matrix, by power iteration on X^T X in double to a
/// relative change of 1e-12 (at most 10,000 steps).
double spectral_norm(const SparseRows& rows);
double spectral_norm(const DenseRows& rows);

/// Scales training and test features with constants found in the records. `kind`:
///   none      as read (bytes: byte / 255);
///   spectral  divides by ||X_train||_2 / (2 sqrt(rows)), so that the logistic loss has L <= 1 (not
///             for bytes);
///   standard  subtracts the mean of all training features and divides by their standard deviation,
///             one scalar each (bytes only).
/// Uses all training records, which no privacy claim covers. Returns a description; empty for
/// `none`.
std::string scale_features(TrainTest& data, Scaling kind);

/// Appends `words` to the description in `data.scaling`.
void add_note(TrainTest& data, const std::string& words);

/// Replaces NaN by the mean of the feature over the `training` records that have it, in training
/// and test data (dense rows of reals). Uses all training records, which no privacy claim covers.
/// Refuses a feature that none of them has. Returns a description.
std::string fill_missing(TrainTest& data, Coordinates training);

/// Subtracts from each of the first `columns` features, and from real targets, the mean over the
/// `training` records, and divides by their standard deviation, in training and test data (dense
/// rows of reals; `target_scale` is multiplied by the divisor of the targets). Uses all training
/// records, which no privacy claim covers. Refuses a constant feature or target. Returns a
/// description.
std::string standardise(TrainTest& data, Coordinates training, std::size_t columns);

}  // namespace trilemma
