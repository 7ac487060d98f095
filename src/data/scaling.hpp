#pragma once

#include <string>

#include "data/dataset.hpp"
#include "data/preprocessing.hpp"

namespace trilemma {

/// Appends a feature of constant value 1 after the last column (sparse rows).
void append_bias(Dataset& data);

/// Largest singular value of the row matrix, by power iteration on X^T X in double to a relative
/// change of 1e-12 (at most 10,000 steps).
double spectral_norm(const SparseRows& rows);
double spectral_norm(const DenseRows& rows);

/// Scales training and test features alike. `kind`:
///   none      as read (bytes: byte / 255);
///   spectral  divides by ||X_train||_2 / (2 sqrt(rows)), so that the logistic loss has L <= 1 (not
///             for bytes);
///   standard  subtracts the mean of all training features and divides by their standard deviation,
///             one scalar each (bytes only).
/// Looks at all training records: outside of any privacy claim. Returns a description; empty
/// for `none`.
std::string scale_features(TrainTest& data, Scaling kind);

/// Adds to `data.scaling` what was done.
void add_note(TrainTest& data, const std::string& words);

/// Puts the mean of a feature over the `training` records that have it in the place of NaN, in
/// training and test data alike (dense rows of reals). Looks at all training records: outside of
/// any privacy claim. Refuses a feature that none of them has. Returns a description.
std::string fill_missing(TrainTest& data, Coordinates training);

/// Subtracts from each of the first `columns` features, and from real targets, their mean over the
/// `training` records and divides by their standard deviation there, in training and test data
/// alike (dense rows of reals; `target_scale` takes up the divisor of the targets). Looks at all
/// training records: outside of any privacy claim. Refuses a feature or target that is constant.
/// Returns a description.
std::string standardise(TrainTest& data, Coordinates training, std::size_t columns);

}  // namespace trilemma
