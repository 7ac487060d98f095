#pragma once
// Shared by decentralised methods; compressed tracking by BEER, PORTER and MoTEF.

#include "method/server_step.hpp"

namespace trilemma {

/// Step sizes of methods that send compressed differences from copies, and the start of the copies.
struct CopyOptions {
  double rate = 0.1, consensus = 0.05;
  bool starts_at_zero = false;
  void read(Reader& r);
};

/// Returns the slots of a decentralised method with minibatch gradients, whose noise and bound are
/// those of ldp-sgd for each node.
Method decentralised_method(Choice<NodeMethod>::Maker node);
/// Takes bound and noise from the slots of a method whose messages no claim covers: only `bound` is
/// left.
void leave_out_noise(const char* bound, Method& method);

/// What a method of this family does differently.
struct TrackingForm {
  /// Whether the first gradients, which are the first v_i, are not sent in the first round.
  bool hides_first = false;
  double fresh = 1;  ///< lambda: weight of the new gradient in the momentum m_i; 1 = no momentum
};

/// Nodes with copies g_i of v_i and h_i of x_i, and sums over neighbours of both:
///
///   m_i += lambda (y_i - m_i)
///   v_i += gamma (sum_j w_ij g_j - g_i) + m_i - m_i'
///   g_i += C(v_i - g_i)
///   x_i += gamma (sum_j w_ij h_j - h_i) - eta v_i
///   h_i += C(x_i - h_i)
///
/// m_i' is m_i of the round before; the first m_i is y_i. v_i, m_i' and g_i start at 0.
std::unique_ptr<NodeMethod> make_compressed_tracking(const CopyOptions& options,
                                                     const TrackingForm& form);

}  // namespace trilemma
