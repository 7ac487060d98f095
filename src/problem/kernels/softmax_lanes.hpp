#pragma once

#include "base/types.hpp"

namespace trilemma {

/// Turns the logits of a record into probabilities, in place.
void softmax(View logits);

/// Records that softmax_columns takes side by side.
inline constexpr std::size_t softmax_lanes = 8;

/// The same for many records: those of class c are the reals from c * stride on, one per record,
/// for `stride` records, a multiple of softmax_lanes.
void softmax_columns(View logits, std::size_t stride, std::size_t classes);

}  // namespace trilemma
