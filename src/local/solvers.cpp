#include "local/span_solver.hpp"
#include "local/walk.hpp"

namespace trilemma {

// One declaration for each row of another file.
Row<SolverKind> personal_gd_row();
Row<SolverKind> personal_sgd_row();
Row<SolverKind> additive_gd_row();
Row<SolverKind> additive_sgd_row();
Row<SolverKind> scaffold_gd_row();
Row<SolverKind> scaffold_sgd_row();
Row<SolverKind> block_gd_row();
Row<SolverKind> block_sgd_row();

namespace {

// Every round begins at the model of the round.
template <class Steps>
class Solver final : public LocalWork {
 public:
  explicit Solver(const LocalSetup& s) : s_(s), walk_(s_), steps_(s_) {}
  void start(ConstView) override {}
  void persist(State&) override {}
  void persist(std::size_t, State&) override {}

  std::size_t estimate(std::size_t slot, ConstView x, const Key& key, View out) override {
    const Dataset& shard = *s_.shards[slot];
    const std::size_t number = steps_.number(shard);
    walk_.begin(x, x, s_.steps.step_rate(key.round, number));
    const std::size_t records = take_all(steps_, shard, key, walk_);
    walk_.report(number, out);
    return records;
  }

 private:
  LocalSetup s_;
  Walk walk_;
  Steps steps_;
};

std::unique_ptr<LocalWork> make_gd(const LocalSetup& s) {
  return in_span(s, std::make_unique<Solver<GdSteps>>(s));
}

}  // namespace

std::span<const Row<SolverKind>> solvers() {
  constexpr auto common = SolverFamily::common;
  static const Row<SolverKind> table[] = {
      solver_row("gd", "steps on all records", {make_gd, false, common}),
      solver_row("sgd", "steps on minibatches", {make_work<Solver<SgdSteps>>, true, common}),
      solver_row("cyclic", "one pass over the records, a step each",
                 {make_work<Solver<CyclicSteps>>, false, common}),
      personal_gd_row(),
      personal_sgd_row(),
      additive_gd_row(),
      additive_sgd_row(),
      scaffold_gd_row(),
      scaffold_sgd_row(),
      block_gd_row(),
      block_sgd_row(),
  };
  return table;
}

}  // namespace trilemma
