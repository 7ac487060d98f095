#include "local/walk.hpp"

namespace trilemma {
namespace {

// The state holds a model for each client, one after the other. Client k takes its steps from block
// k and sends x_k - w_E: the other blocks of its contribution are 0 and need not travel.
template <class Steps>
class BlockSolver final : public LocalWork {
 public:
  explicit BlockSolver(const LocalSetup& s) : s_(s), walk_(s_), steps_(s_) {}
  void start(ConstView) override {}
  void persist(State&) override {}
  void persist(std::size_t, State&) override {}
  ConstView personal_model(std::size_t slot, ConstView state, Vector&) const override {
    const std::size_t d = s_.problem->dimension();
    return state.subspan((s_.first_client + slot) * d, d);
  }

  std::size_t estimate(std::size_t slot, const Task& task, View out) override {
    const Dataset& shard = *s_.shards[slot];
    const std::size_t number = steps_.number(shard, task);
    const ConstView own = task.model.subspan((s_.first_client + slot) * out.size(), out.size());
    walk_.begin(own, own, s_.steps.step_rate(task.key.round, number));
    const std::size_t records = take_all(steps_, shard, task, walk_);
    walk_.report(number, out);
    return records;
  }

 private:
  LocalSetup s_;
  Walk walk_;
  Steps steps_;
};

}  // namespace

Row<SolverKind> block_gd_solver() {
  return solver_row("block-gd", "steps on all records from the client's block of the state",
                    {make_work<BlockSolver<GdSteps>>, false, SolverFamily::block});
}
Row<SolverKind> block_sgd_solver() {
  return solver_row("block-sgd", "steps on minibatches from the client's block of the state",
                    {make_work<BlockSolver<SgdSteps>>, true, SolverFamily::block});
}

}  // namespace trilemma
