#include "memory/memory.hpp"

namespace trilemma {
namespace {

// Error feedback (Seide et al. 2014; Karimireddy et al. 2019): a client sends C(p + e) and sets e =
// p + e - gamma C(p + e), starting at 0. The server takes gamma times the mean; gamma = 1 unless C
// must be scaled down to contract.
class ErrorFeedbackClient final : public VectorOfEachClient {
 public:
  using VectorOfEachClient::VectorOfEachClient;

  void before_sending(std::size_t slot, const Released& p) override {
    Vector& e = vector_[slot];
    const View values = p.values();
    for (std::size_t j = 0; j < e.size(); ++j) e[j] = values[j] += e[j];
  }
  void after_sending(std::size_t slot, const SparseView& sent) override {
    Vector& e = vector_[slot];
    sent.at.each(e.size(), [&](std::size_t i, std::size_t j) { e[j] -= step_ * sent.value[i]; });
  }
};

class ErrorFeedbackServer final : public ServerMemory {
 public:
  ErrorFeedbackServer(std::size_t, double step) : step_(step) {}
  void restore(std::span<double> mean) override {
    if (step_ == 1) return;
    for (auto& value : mean) value *= step_;
  }

 private:
  double step_;
};

}  // namespace

Row<MemoryKind> error_feedback_memory() {
  return {"error-feedback", "compression residual, added to the next vector after the bound",
          with_halves<ErrorFeedbackClient, ErrorFeedbackServer>(
              {.traits = {.moves = StateMoves::with_participation,
                          .changes_released = true,
                          .needs_whole_vectors = true,
                          .takes_biased = true,
                          .is_free = true},
               .usual_step = contractive_step})};
}

}  // namespace trilemma
