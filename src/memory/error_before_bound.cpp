#include "memory/memory.hpp"

namespace trilemma {
namespace {

// [NEC] algorithm 1, after EF21: every client, taking part or not, keeps v_i, starting at 0, bounds
// the difference of its update to it, and moves v_i += beta * bounded.
class Client final : public ClientMemory {
 public:
  Client(std::size_t slots, std::size_t dimension, double beta)
      : beta_(static_cast<real>(beta)), memory_(slots, Vector(dimension)) {}

  void before_bound(std::size_t slot, View u) const override {
    const Vector& v = memory_[slot];
    for (std::size_t j = 0; j < u.size(); ++j) u[j] -= v[j];
  }
  void after_bound(std::size_t slot, const Bounded& bounded) override {
    Vector& v = memory_[slot];
    const ConstView left = bounded.values();
    for (std::size_t j = 0; j < v.size(); ++j) v[j] += beta_ * left[j];
  }
  void persist(std::size_t slot, State& state) override { state.values(memory_[slot]); }

 private:
  real beta_;
  std::vector<Vector> memory_;
};

// vhat += beta * mean, and vhat is the direction.
class Server final : public ServerMemory {
 public:
  Server(std::size_t dimension, double beta) : beta_(beta), estimate_(dimension) {}

  void restore(std::span<double> mean) override {
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] = estimate_[j] += beta_ * mean[j];
  }
  void persist(State& state) override { state.values(estimate_); }

 private:
  double beta_;
  std::vector<double> estimate_;
};

}  // namespace

Row<MemoryKind> error_before_bound_memory() {
  return {"error-before-bound",
          "clients bound the difference of their update to what bounds have let through before",
          [](Settings&) {},
          with_halves<Client, Server>({.traits = {.works_without_sending = true}})};
}

}  // namespace trilemma
