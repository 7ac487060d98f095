#include "local/trajectory.hpp"

namespace trilemma {
namespace {

// SCAFFOLD, option II (Karimireddy et al. 2020, algorithm 1). The state is the model x and the
// control variate c; client i keeps c_i, initially 0. Steps y -= eta (g(y) - c_i + c) from x; then
// c_i+ = c_i - c + (x - y_E) / (E eta). The client sends (x - y_E, E eta (c_i - c_i+)): both halves
// are in units of the model, so that one bound suits both. The second half has the E of the
// settings, which the server knows, where clients take as many steps as their epochs have. c_i is
// updated with the bounded and compressed control half, so that c stays the mean of all c_i, except
// for the noise.
template <class Steps>
class ScaffoldSolver final : public SolverWork<Steps> {
 public:
  explicit ScaffoldSolver(const LocalSetup& s)
      : SolverWork<Steps>(s), control_(s.shards.size()), scale_(s.shards.size()) {}
  void start(ConstView state) override {
    for (auto& control : control_) control.assign(state.size() / 2, real{0});
  }
  void persist(std::size_t slot, State& state) override { state.values(control_[slot]); }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const std::size_t d = task.model.size() / 2;
    const ConstView x = task.model.first(d);
    const ConstView c = task.model.subspan(d);
    drift_.resize(d);
    for (std::size_t j = 0; j < d; ++j) drift_[j] = c[j] - control_[slot][j];
    const StepsTaken taken = this->take_steps(slot, task, x, x, drift_);
    this->trajectory_.report(taken.steps, out.first(d));
    const auto own = static_cast<real>(taken.rate * static_cast<double>(taken.steps));
    const auto sent = static_cast<real>(taken.rate * static_cast<double>(this->s_.steps.count));
    const real ratio = sent / own;
    for (std::size_t j = 0; j < d; ++j) out[d + j] = ratio * (own * c[j] - out[j]);
    scale_[slot] = sent;
    return taken.records;
  }

  void absorb(std::size_t slot, const SparseView& sent) override {
    Vector& control = control_[slot];
    const std::size_t d = control.size();
    sent.at.each(2 * d, [&](std::size_t i, std::size_t j) {
      if (j >= d) control[j - d] -= sent.value[i] / scale_[slot];
    });
  }
  bool absorbs() const override { return true; }

 private:
  std::vector<Vector> control_;
  Vector drift_;
  Vector scale_;  ///< E eta of the message, by slot
};

}  // namespace

Row<SolverKind> scaffold_gd_solver() {
  return {"scaffold-gd",
          "corrected steps on all records, with control variates",
          {make_work<ScaffoldSolver<GdSteps>>, false, SolverFamily::corrected,
           StateMoves::with_participation}};
}
Row<SolverKind> scaffold_sgd_solver() {
  return {"scaffold-sgd",
          "corrected steps on minibatches, with control variates",
          {make_work<ScaffoldSolver<SgdSteps>>, true, SolverFamily::corrected,
           StateMoves::with_participation}};
}

}  // namespace trilemma
