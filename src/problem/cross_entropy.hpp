#pragma once
// Cross-entropy of a softmax over the logits of one record: loss = log sum_c exp(o_c) - o_label.

#include "base/types.hpp"

namespace trilemma {

/// Turns the logits into the derivative of the loss by them, softmax(o) - onehot(label). Returns
/// the loss, computed in double, if `with_loss`, else 0.
double cross_entropy_errors(View logits, std::size_t label, bool with_loss);

/// Returns the loss alone, computed in double.
double cross_entropy(ConstView logits, std::size_t label);

/// KL(p || q) + KL(q || p) of the softmaxes p of `logits` and q of `reference`, in double; writes
/// its derivative by the logits, p_c (log(p_c/q_c) - KL(p || q)) + p_c - q_c, into `errors`.
double symmetrised_kl(ConstView logits, ConstView reference, View errors);

/// The class of the largest logit, the first one of equals.
std::size_t likeliest(ConstView logits);

}  // namespace trilemma
