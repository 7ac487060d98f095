#include "memory/memory.hpp"
#include "numeric/draws.hpp"

namespace trilemma {
namespace {

// MARINA (Gorbunov, Burlachenko, Li and Richtarik 2021, algorithm 1). If the coin of the round
// comes up, a client sends grad_i - g_i uncompressed, so that g_i = grad_i; otherwise it sends
// C(grad_i - grad_i of the previous round), and adds it to g_i. The update direction is the mean of
// the g_i.
class Client final : public ClientMemory {
 public:
  /// `whole` is the probability of the coin.
  Client(std::size_t slots, std::size_t dimension, double whole)
      : whole_(whole), estimate_(slots, Vector(dimension)), last_(slots, Vector(dimension)) {}

  void begin_round(std::uint64_t seed, std::uint32_t round) override {
    is_whole_ = common_coin(seed, round, whole_);
  }
  void before_sending(std::size_t slot, const Released& p) override {
    const View values = p.values();
    const Vector& from = is_whole_ ? estimate_[slot] : last_[slot];
    for (std::size_t j = 0; j < values.size(); ++j) {
      const real now = values[j];
      values[j] -= from[j];
      last_[slot][j] = now;
    }
  }
  void after_sending(std::size_t slot, const SparseView& sent) override {
    Vector& g = estimate_[slot];
    sent.at.each(g.size(), [&](std::size_t i, std::size_t j) { g[j] += sent.value[i]; });
  }
  void persist(std::size_t slot, State& state) override {
    state.values(estimate_[slot]);
    state.values(last_[slot]);
  }

 private:
  double whole_;
  bool is_whole_ = true;
  std::vector<Vector> estimate_, last_;  ///< g_i and the previous gradient, by slot
};

class Server final : public EstimateServer {
 public:
  Server(std::size_t dimension, double) : EstimateServer(dimension, 1) {}
};

}  // namespace

Row<MemoryKind> marina_memory() {
  return {"marina", "clients send how their vector has changed, or all of it by a coin",
          with_halves<Client, Server>({.traits = {.moves = StateMoves::with_participation,
                                                  .changes_released = true,
                                                  .needs_everyone = true,
                                                  .needs_whole_vectors = true}})};
}

}  // namespace trilemma
