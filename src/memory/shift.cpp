#include <cmath>

#include "memory/memory.hpp"

namespace trilemma {
namespace {

// [SOT] algorithm 2: a client sends v_i = C(g - s_i), and both ends update the same reference,
// starting at 0: s_i += gamma v_i, s += gamma mean(v_i).
class ShiftClient final : public VectorOfEachClient {
 public:
  using VectorOfEachClient::VectorOfEachClient;

  void before_sending(std::size_t slot, const Released& p) override {
    const Vector& s = vector_[slot];
    const View values = p.values();
    p.at().each(s.size(), [&](std::size_t i, std::size_t j) { values[i] -= s[j]; });
  }

  void after_sending(std::size_t slot, const SparseView& sent) override {
    Vector& s = vector_[slot];
    sent.at.each(s.size(), [&](std::size_t i, std::size_t j) { s[j] += step_ * sent.value[i]; });
  }

  void undo(std::size_t slot, Support at, std::span<double> values) const override {
    const Vector& s = vector_[slot];
    at.each(s.size(),
            [&](std::size_t i, std::size_t j) { values[i] += static_cast<double>(s[j]); });
  }
};

class ShiftServer final : public ServerMemory {
 public:
  ShiftServer(std::size_t dimension, double gamma) : gamma_(gamma), shift_(dimension) {}

  // The update direction uses the old shift: v = s + mean, then s += gamma mean.
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

std::optional<double> read_step(Settings& experiment) {
  return experiment.section("shift").number_or(
      "step", "theory", at_least(0),
      "gamma of the shifts; theory: sqrt((1+2w)/(2(1+w)^3)), w = omega");
}

}  // namespace

double theory_shift_step(double omega) {
  return std::sqrt((1.0 + 2.0 * omega) / (2.0 * std::pow(1.0 + omega, 3)));
}

Row<MemoryKind> shift_memory() {
  return {"shift", "both ends learn a reference of each client, who sends the difference to it",
          with_halves<ShiftClient, ShiftServer>({.traits = {.moves = StateMoves::with_participation,
                                                            .changes_released = true,
                                                            .needs_everyone = true},
                                                 .read_step = read_step,
                                                 .usual_step = theory_shift_step})};
}

// EF21 (Richtarik et al. 2021): g_i += gamma C(grad_i - g_i), and the mean of the g_i is the update
// direction: v = s after its update. gamma = 1 unless C must be scaled down to contract.
Row<MemoryKind> ef21_memory() {
  return {
      "ef21", "the last estimate, to which every message is added; allows biased compressors",
      with_halves<ShiftClient, EstimateServer>({.traits = {.moves = StateMoves::with_participation,
                                                           .changes_released = true,
                                                           .needs_everyone = true,
                                                           .takes_biased = true,
                                                           .is_free = true},
                                                .usual_step = contractive_step})};
}

}  // namespace trilemma
