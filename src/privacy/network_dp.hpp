#pragma once
// Privacy between pairs of nodes that average without a server. Node i starts from a_i + N(0,
// sigma^2 I), and all nodes repeat x <- W x. Node v sees the messages of its neighbours and knows
// its own noise; what does it learn of a_u?

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace trilemma {

/// Writes W x to `mixed`, for a symmetric matrix W.
using Mixing = std::function<void(std::span<const double> x, std::span<double> mixed)>;

/// A node v that averages, and what it sees: the messages x_w^t of its neighbours w, for t = 0,
/// ..., steps - 1.
struct AveragingView {
  std::uint32_t nodes = 0;  ///< of the graph
  std::uint32_t viewer = 0;
  std::span<const std::uint32_t> neighbours = {};
  std::uint32_t steps = 1;
};

/// What a node learns of each node u.
struct PairwiseLoss {
  /// P_uu by node u, in [0, 1]: the view is mu-GDP in a_u with mu = sqrt(P_uu) distance / sigma. 1
  /// is the loss against an observer of the noisy value itself.
  std::vector<double> shares;
  std::size_t dimension = 0;  ///< of the span of all messages and of the viewer's own noise
};

/// Returns the exact loss: all messages are linear in the start values, so P is the orthogonal
/// projector onto the span of e_v and W^t e_w. A block Krylov basis with full re-orthogonalisation,
/// from which directions shorter than 1e-9 are dropped.
PairwiseLoss exact_pairwise_loss(const AveragingView& view, const Mixing& mix);

/// Returns F_uv = sum over t < steps and neighbours w of (W^t)_wu^2 / norm(W^t e_w)^2 by node u,
/// the formula of the public code of Muffliato (Cyffers et al. 2022), which states a Renyi
/// divergence of F_uv times the local one. The formula adds the losses of messages that share their
/// noise, so it is not a bound: shares of the exact loss can exceed it.
std::vector<double> published_pairwise_loss(const AveragingView& view, const Mixing& mix);

}  // namespace trilemma
