#include "memory/memory.hpp"

namespace trilemma {
namespace {

// [NEC] algorithm 1, after EF21: every client, participating or not, keeps v_i, starting at 0,
// bounds the difference of its update to v_i, and sets v_i += beta C(bounded), where C uses the
// coins of its message. The server updates vhat in the same way with the mean of the messages. If
// all clients participate without noise, vhat is the mean of the v_i for any C.
class ErrorBeforeBoundClient final : public VectorOfEachClient {
 public:
  using VectorOfEachClient::VectorOfEachClient;

  void before_bound(std::size_t slot, View u) override {
    const Vector& v = vector_[slot];
    for (std::size_t j = 0; j < u.size(); ++j) u[j] -= v[j];
  }
  void take_in_bounded(std::size_t slot, const SparseView& left) override {
    Vector& v = vector_[slot];
    left.at.each(v.size(), [&](std::size_t i, std::size_t j) { v[j] += step_ * left.value[i]; });
  }
};

}  // namespace

Row<MemoryKind> error_before_bound_memory() {
  return {"error-before-bound",
          "clients bound the difference of their update to what bounds have let through before",
          with_halves<ErrorBeforeBoundClient, EstimateServer>(
              {.traits = {.moves = StateMoves::in_every_round,
                          .needs_client_bound = true,
                          .takes_in_bounded = true,
                          .works_without_sending = true}})};
}

}  // namespace trilemma
