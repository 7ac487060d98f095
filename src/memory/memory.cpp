#include "memory/memory.hpp"

#include <cmath>

namespace trilemma {
namespace {

class ZeroClient final : public ClientMemory {
 public:
  void subtract(std::size_t, const Released&) const override {}
  void add(std::size_t, Support, std::span<double>) const override {}
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
    p.at().each(s.size(), [&](std::size_t i, std::size_t j) { values[i] -= s[j]; });
  }

  void add(std::size_t slot, Support at, std::span<double> values) const override {
    const Vector& s = shift_[slot];
    at.each(s.size(),
            [&](std::size_t i, std::size_t j) { values[i] += static_cast<double>(s[j]); });
  }

  void absorb(std::size_t slot, const SparseView& sent) override {
    Vector& s = shift_[slot];
    sent.at.each(s.size(), [&](std::size_t i, std::size_t j) { s[j] += gamma_ * sent.value[i]; });
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

class ZeroError final : public ErrorMemory {
 public:
  void subtract(std::size_t, View) const override {}
  void absorb(std::size_t, const Bounded&) override {}
  bool works_without_sending() const override { return false; }
  void persist(std::size_t, State&) override {}
};

class Error final : public ErrorMemory {
 public:
  Error(std::size_t slots, std::size_t dimension, double beta)
      : beta_(static_cast<real>(beta)), memory_(slots, Vector(dimension)) {}

  void subtract(std::size_t slot, View u) const override {
    const Vector& v = memory_[slot];
    for (std::size_t j = 0; j < u.size(); ++j) u[j] -= v[j];
  }
  void absorb(std::size_t slot, const Bounded& bounded) override {
    Vector& v = memory_[slot];
    const ConstView sent = bounded.values();
    for (std::size_t j = 0; j < v.size(); ++j) v[j] += beta_ * sent[j];
  }
  bool works_without_sending() const override { return true; }
  void persist(std::size_t slot, State& state) override { state.values(memory_[slot]); }

 private:
  real beta_;
  std::vector<Vector> memory_;
};

class ErrorServer final : public ServerMemory {
 public:
  ErrorServer(std::size_t dimension, double beta) : beta_(beta), estimate_(dimension) {}

  void restore(std::span<double> mean) override {
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] = estimate_[j] += beta_ * mean[j];
  }
  void persist(State& state) override { state.values(estimate_); }

 private:
  double beta_;
  std::vector<double> estimate_;
};

}  // namespace

std::unique_ptr<ErrorMemory> make_zero_error_memory() { return std::make_unique<ZeroError>(); }
std::unique_ptr<ErrorMemory> make_error_memory(std::size_t slots, std::size_t dimension,
                                               double beta) {
  return std::make_unique<Error>(slots, dimension, beta);
}
std::unique_ptr<ServerMemory> make_error_server_memory(std::size_t dimension, double beta) {
  return std::make_unique<ErrorServer>(dimension, beta);
}

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
