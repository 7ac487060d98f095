#include "memory/memory.hpp"

#include <cmath>

namespace trilemma {
namespace {

class ZeroClient final : public ClientMemory {
 public:
  void subtract(std::size_t, const Released&) const override {}
  void absorb(std::size_t, const SparseView&) override {}
  void persist(std::size_t, State&) override {}
};

class ZeroServer final : public ServerMemory {
 public:
  void restore(std::span<double>) override {}
  void persist(State&) override {}
};

class ShiftClient final : public ClientMemory {
 public:
  ShiftClient(std::size_t slots, std::size_t dimension, double gamma)
      : gamma_(static_cast<real>(gamma)), shift_(slots, Vector(dimension)) {}

  void subtract(std::size_t slot, const Released& p) const override {
    const Vector& s = shift_[slot];
    const View values = p.values();
    const Coordinates index = p.index();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= s[index.empty() ? i : index[i]];
  }

  void absorb(std::size_t slot, const SparseView& sent) override {
    Vector& s = shift_[slot];
    for (std::size_t i = 0; i < sent.value.size(); ++i)
      s[sent.index.empty() ? i : sent.index[i]] += gamma_ * sent.value[i];
  }

  void persist(std::size_t slot, State& state) override { state.values(shift_[slot]); }

 private:
  real gamma_;
  std::vector<Vector> shift_;
};

class ShiftServer final : public ServerMemory {
 public:
  ShiftServer(std::size_t dimension, double gamma) : gamma_(gamma), shift_(dimension) {}

  // The direction uses the old shift: v = s + mean, then s += gamma mean.
  void restore(std::span<double> mean) override {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      const double sent = mean[j];
      mean[j] = shift_[j] + sent;
      shift_[j] += gamma_ * sent;
    }
  }

  void persist(State& state) override { state.values(shift_); }

 private:
  double gamma_;
  std::vector<double> shift_;
};

}  // namespace

std::unique_ptr<ClientMemory> make_zero_client_memory() { return std::make_unique<ZeroClient>(); }
std::unique_ptr<ServerMemory> make_zero_server_memory() { return std::make_unique<ZeroServer>(); }

std::unique_ptr<ClientMemory> make_shift_client_memory(std::size_t slots, std::size_t dimension,
                                                       double gamma) {
  return std::make_unique<ShiftClient>(slots, dimension, gamma);
}
std::unique_ptr<ServerMemory> make_shift_server_memory(std::size_t dimension, double gamma) {
  return std::make_unique<ShiftServer>(dimension, gamma);
}

double theory_shift_step(double omega) {
  return std::sqrt((1.0 + 2.0 * omega) / (2.0 * std::pow(1.0 + omega, 3)));
}

}  // namespace trilemma
