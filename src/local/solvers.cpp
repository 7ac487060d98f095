#include "local/solver.hpp"
#include "local/trajectory.hpp"

namespace trilemma {

// One declaration for each row defined in another file.
Row<SolverKind> personal_gd_solver();
Row<SolverKind> personal_sgd_solver();
Row<SolverKind> additive_gd_solver();
Row<SolverKind> additive_sgd_solver();
Row<SolverKind> scaffold_gd_solver();
Row<SolverKind> scaffold_sgd_solver();
Row<SolverKind> block_gd_solver();
Row<SolverKind> block_sgd_solver();
Row<SolverKind> averaged_gd_solver();
Row<SolverKind> averaged_sgd_solver();
Row<SolverKind> zeroth_gd_solver();
Row<SolverKind> zeroth_sgd_solver();

namespace {

// Starts every round at the model of the round.
template <class Steps>
class Solver final : public SolverWork<Steps> {
 public:
  using SolverWork<Steps>::SolverWork;

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const StepsTaken taken = this->take_steps(slot, task, task.model, task.model);
    this->trajectory_.report(taken.steps, out);
    return taken.records;
  }
  void advance(std::size_t slot, const Task& task) override {
    this->continue_steps(slot, task, task.model, task.model);
  }
};

std::unique_ptr<LocalWork> make_gd(const LocalSetup& s) {
  return in_span(s, std::make_unique<Solver<GdSteps>>(s));
}

}  // namespace

std::span<const Row<SolverKind>> solvers() {
  constexpr auto common = SolverFamily::common;
  static const Row<SolverKind> table[] = {
      {"gd", "steps on all records", {make_gd, false, common, StateMoves::never}},
      {"sgd",
       "steps on minibatches",
       {make_work<Solver<SgdSteps>>, true, common, StateMoves::never}},
      {"cyclic",
       "one pass over the records, a step each",
       {make_work<Solver<CyclicSteps>>, false, common, StateMoves::never, true}},
      personal_gd_solver(),
      personal_sgd_solver(),
      additive_gd_solver(),
      additive_sgd_solver(),
      scaffold_gd_solver(),
      scaffold_sgd_solver(),
      block_gd_solver(),
      block_sgd_solver(),
      averaged_gd_solver(),
      averaged_sgd_solver(),
      zeroth_gd_solver(),
      zeroth_sgd_solver(),
  };
  return table;
}

}  // namespace trilemma
