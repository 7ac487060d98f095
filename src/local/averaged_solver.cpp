#include "local/trajectory.hpp"

namespace trilemma {
namespace {

// A client of QuAFL (Zakerinia, Talaei, Nadiradze and Alistarh 2022; [FAV] section 5) continues
// from its own model w_i, which becomes Y after its local steps. It then averages Y with the
// server's model w of the contact, w_i = (w + s Y) / (s + 1) for s contacts per server step. It
// sends the difference between the model that it received at its previous contact, which the server
// knows, and Y.
template <class Steps>
class AveragedSolver final : public SolverWork<Steps> {
 public:
  explicit AveragedSolver(const LocalSetup& s) : SolverWork<Steps>(s), own_(s.shards.size()) {}
  void start(ConstView x) override { start_.assign(x.begin(), x.end()); }
  void persist_common(State& state) override { state.values(start_); }
  void persist(std::size_t slot, State& state) override {
    bool has_met = !own_[slot].empty();
    state.value(has_met);
    if (has_met)
      state.values(own_[slot]);
    else
      own_[slot].clear();
  }
  ConstView personal_model(std::size_t slot, ConstView, Vector&) const override {
    return own_[slot].empty() ? start_ : own_[slot];
  }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    Vector& own = own_[slot];
    if (own.empty()) own = start_;
    const StepsTaken taken = this->take_steps(slot, task, own, task.model);
    this->trajectory_.report(taken.steps, out);
    const double contacts = this->s_.contacts;
    const auto server = static_cast<real>(1 / (contacts + 1));
    const auto client = static_cast<real>(contacts / (contacts + 1));
    const Vector& at = this->trajectory_.at();
    for (std::size_t j = 0; j < own.size(); ++j) own[j] = server * task.now[j] + client * at[j];
    return taken.records;
  }
  void advance(std::size_t slot, const Task& task) override {
    if (own_[slot].empty()) own_[slot] = start_;
    this->continue_steps(slot, task, own_[slot], task.model);
  }

 private:
  Vector start_;
  std::vector<Vector> own_;  ///< by slot; empty before the first contact
};

}  // namespace

Row<SolverKind> averaged_gd_solver() {
  return {"averaged-gd",
          "steps on all records from the client's own model, averaged with the server's",
          {make_work<AveragedSolver<GdSteps>>, false, SolverFamily::averaged,
           StateMoves::with_participation}};
}
Row<SolverKind> averaged_sgd_solver() {
  return {"averaged-sgd",
          "steps on minibatches from the client's own model, averaged with the server's",
          {make_work<AveragedSolver<SgdSteps>>, true, SolverFamily::averaged,
           StateMoves::with_participation}};
}

}  // namespace trilemma
