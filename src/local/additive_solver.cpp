#include "local/trajectory.hpp"

namespace trilemma {
namespace {

// Additive personalisation (PP-SGD, [PMTL] appendix A.8): the model of client i is x + theta_i.
// Each step evaluates the gradient g at w + theta and updates both, w -= eta g and theta -= rho eta
// g, so the sum w + theta moves with step size (1 + rho) eta: w_E = x - eta S and theta_E = theta -
// rho eta S, where S is the sum of the gradients. The client sends x - w_E; theta_i, initially 0,
// is never sent.
template <class Steps>
class AdditiveSolver final : public SolverWork<Steps> {
 public:
  explicit AdditiveSolver(const LocalSetup& s) : SolverWork<Steps>(s), own_(s.shards.size()) {}
  void start(ConstView x) override {
    for (auto& theta : own_) theta.assign(x.size(), real{0});
  }
  void persist(std::size_t slot, State& state) override { state.values(own_[slot]); }
  ConstView personal_model(std::size_t slot, ConstView x, Vector& room) const override {
    room.assign(x.begin(), x.end());
    for (std::size_t j = 0; j < room.size(); ++j) room[j] += own_[slot][j];
    return room;
  }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const double ratio = this->s_.steps.personal_ratio;
    const StepsTaken taken = this->take_steps(slot, task, personal_model(slot, task.model, from_),
                                              task.model, {}, 1 + ratio);
    const auto shared = static_cast<real>(taken.rate);
    const auto personal = static_cast<real>(ratio * taken.rate);
    const Vector& sum = this->trajectory_.sum();
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = shared * sum[j];
      own_[slot][j] -= personal * sum[j];
    }
    return taken.records;
  }

 private:
  std::vector<Vector> own_;
  Vector from_;
};

}  // namespace

Row<SolverKind> additive_gd_solver() {
  return {"additive-gd",
          "steps on all records from x plus a part of the client's own",
          {make_work<AdditiveSolver<GdSteps>>, false, SolverFamily::additive,
           StateMoves::with_participation}};
}
Row<SolverKind> additive_sgd_solver() {
  return {"additive-sgd",
          "steps on minibatches from x plus a part of the client's own",
          {make_work<AdditiveSolver<SgdSteps>>, true, SolverFamily::additive,
           StateMoves::with_participation}};
}

}  // namespace trilemma
