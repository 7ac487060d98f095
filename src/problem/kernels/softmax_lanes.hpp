#pragma once

#include "base/types.hpp"

namespace trilemma {

/// Replaces the logits of a record by probabilities.
void softmax(View logits);

/// Number of records that softmax_columns processes at once.
inline constexpr std::size_t softmax_lanes = 8;

/// Replaces the logits of many records by probabilities: those of class c start at c * stride, one
/// per record, for `stride` records, a multiple of softmax_lanes.
void softmax_columns(View logits, std::size_t stride, std::size_t classes);

}  // namespace trilemma
