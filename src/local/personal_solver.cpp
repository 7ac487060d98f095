#include "local/trajectory.hpp"

namespace trilemma {
namespace {

// Every client continues from its own model ([PMTL] algorithm 1): w_k moves along grad l_k(w_k) +
// lambda (w_k - x). All clients begin at the start model, which is public.
template <class Steps>
class PersonalSolver final : public SolverWork<Steps> {
 public:
  explicit PersonalSolver(const LocalSetup& s) : SolverWork<Steps>(s), model_(s.shards.size()) {}
  void start(ConstView x) override {
    for (auto& model : model_) model.assign(x.begin(), x.end());
  }
  void persist(std::size_t slot, State& state) override { state.values(model_[slot]); }
  ConstView personal_model(std::size_t slot, ConstView, Vector&) const override {
    return model_[slot];
  }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const StepsTaken taken = this->take_steps(slot, task, model_[slot], task.model);
    this->trajectory_.report(taken.steps, out);
    model_[slot] = this->trajectory_.at();
    return taken.records;
  }

 private:
  std::vector<Vector> model_;
};

}  // namespace

Row<SolverKind> personal_gd_solver() {
  return {"personal-gd",
          "steps on all records from the client's own model",
          {make_work<PersonalSolver<GdSteps>>, false, SolverFamily::personal,
           StateMoves::with_participation}};
}
Row<SolverKind> personal_sgd_solver() {
  return {"personal-sgd",
          "steps on minibatches from the client's own model",
          {make_work<PersonalSolver<SgdSteps>>, true, SolverFamily::personal,
           StateMoves::with_participation}};
}

}  // namespace trilemma
