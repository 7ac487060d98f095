#include "local/trajectory.hpp"

namespace trilemma {
namespace {

// The state holds one model per client, consecutively. Client k takes its steps from block k and
// sends x_k - w_E: the other blocks of its contribution are 0 and need not be sent.
template <class Steps>
class BlockSolver final : public SolverWork<Steps> {
 public:
  using SolverWork<Steps>::SolverWork;
  ConstView personal_model(std::size_t slot, ConstView state, Vector&) const override {
    const std::size_t d = this->s_.problem->dimension();
    return state.subspan((this->s_.first_client + slot) * d, d);
  }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const ConstView own = personal_model(slot, task.model, none_);
    const StepsTaken taken = this->take_steps(slot, task, own, own);
    this->trajectory_.report(taken.steps, out);
    return taken.records;
  }

 private:
  Vector none_;  ///< empty, since the models are part of the state
};

}  // namespace

Row<SolverKind> block_gd_solver() {
  return {"block-gd",
          "steps on all records from the client's block of the state",
          {make_work<BlockSolver<GdSteps>>, false, SolverFamily::block, StateMoves::never}};
}
Row<SolverKind> block_sgd_solver() {
  return {"block-sgd",
          "steps on minibatches from the client's block of the state",
          {make_work<BlockSolver<SgdSteps>>, true, SolverFamily::block, StateMoves::never}};
}

}  // namespace trilemma
