#include "method/server_step.hpp"

namespace trilemma {
namespace {

// After the step, pulls each model towards their mean: x_k -= pull (x_k - mean). All models are
// released, so this costs no privacy.
class PulledStep final : public ServerStep {
 public:
  PulledStep(std::unique_ptr<ServerStep> step, double pull) : step_(std::move(step)), pull_(pull) {}

  void prepare(const StepSetup& setup) override {
    shape_ = blocks_shape(setup.dimension, static_cast<std::size_t>(setup.clients));
  }
  void apply(std::uint32_t round, View state, std::span<const double> direction) override {
    step_->apply(round, state, direction);
    if (pull_ == 0) return;
    const ConstView mean = shape_.common(state, room_);
    const auto pull = static_cast<real>(pull_);
    for (std::size_t first = 0; first < state.size(); first += mean.size())
      for (std::size_t j = 0; j < mean.size(); ++j)
        state[first + j] -= pull * (state[first + j] - mean[j]);
  }
  void persist(State& state) override { step_->persist(state); }

 private:
  std::unique_ptr<ServerStep> step_;
  double pull_;
  StateShape shape_;
  Vector room_;
};

// Trains all n models as one vector of n d coordinates with private FedAvg ([PMTL] figure 1): a
// client's contribution to the whole vector, which is 0 outside its block, is clipped, and the
// server adds noise to all n d coordinates of the mean. It shows the cost of making all models
// private instead of all except the client's own. A mean over r clients moves a block by only a
// share 1/r of the client's contribution; server.rate = r compensates for that.
Method make_naive_dp_mtl(Settings& experiment) {
  Method m;
  m.shape = blocks_shape;
  m.steps = read_local_steps(experiment.section("local"), {.solver = "block-gd", .is_fixed = true});
  m.bound = "clip-client";
  m.default_compressor = "identity";
  m.noise_constant = 1;
  m.paper_noise = norm_noise;
  const double pull = experiment.section("server").number(
      "pull", 0.0, {.low = 0, .high = 1},
      "pull of each model towards the mean of all models after a step, as a share of the distance");
  m.step = Choice<ServerStep>([inner = make_averaging_step(experiment, m.steps.rate, {}), pull] {
    return std::make_unique<PulledStep>(inner.make(), pull);
  });
  return m;
}

}  // namespace

Row<MethodMaker> naive_dp_mtl_method() {
  return method_row<make_naive_dp_mtl>("naive-dp-mtl",
                                       "baseline: the models of all clients as one private vector");
}

}  // namespace trilemma
