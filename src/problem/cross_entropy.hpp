#pragma once
// Softmax cross-entropy of the logits of one record: loss = log sum_c exp(o_c) - o_label.

#include "base/types.hpp"

namespace trilemma {

/// Replaces the logits by the derivative of the loss with respect to them, softmax(o) -
/// onehot(label). Returns the loss, computed in double, if `with_loss`, otherwise 0.
double cross_entropy_errors(View logits, std::size_t label, bool with_loss);

/// Returns the loss, computed in double.
double cross_entropy(ConstView logits, std::size_t label);

/// Returns KL(p || q) + KL(q || p) of the softmaxes p of `logits` and q of `reference`, in double.
/// Writes its derivative with respect to the logits, p_c (log(p_c/q_c) - KL(p || q)) + p_c - q_c,
/// into `errors`.
double symmetrised_kl(ConstView logits, ConstView reference, View errors);

/// Returns the class with the largest logit, the first of equal ones.
std::size_t likeliest(ConstView logits);

}  // namespace trilemma
