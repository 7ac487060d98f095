#include "memory/memory.hpp"

namespace trilemma {
namespace {

// Error feedback inside the bound: before the bound, a client adds to its update u the residual e,
// the sum at each coordinate of its updates since the coordinate was last sent; e = 0 at
// coordinates that have been sent. What the bound cuts off a coordinate that is sent is lost, so
// that e does not accumulate it.
class ResidualClient final : public VectorOfEachClient {
 public:
  using VectorOfEachClient::VectorOfEachClient;

  void before_bound(std::size_t slot, View u) override {
    Vector& e = vector_[slot];
    for (std::size_t j = 0; j < u.size(); ++j) e[j] = u[j] += e[j];
  }
  void after_sending(std::size_t slot, const SparseView& sent) override {
    Vector& e = vector_[slot];
    sent.at.each(e.size(), [&](std::size_t, std::size_t j) { e[j] = 0; });
  }
};

// The mean is the update direction.
class ResidualServer final : public ServerMemory {
 public:
  ResidualServer(std::size_t, double) {}
};

}  // namespace

Row<MemoryKind> residual_memory() {
  return {"residual", "coordinates not sent, added to the next update before the bound",
          with_halves<ResidualClient, ResidualServer>(
              {.traits = {.moves = StateMoves::with_participation,
                          .needs_client_bound = true,
                          .takes_biased = true,
                          .remembers_coordinates_only = true,
                          .is_free = true}})};
}

}  // namespace trilemma
