#include "method/server_step.hpp"

namespace trilemma {
namespace {

// Updates the model as averaging methods do, and the control variate by (r/n) mean_i (c_i+ - c_i);
// the mean arrives as -E eta times that (local/scaffold_solver.cpp).
class ScaffoldStep final : public ServerStep {
 public:
  ScaffoldStep(std::unique_ptr<ServerStep> model, const LocalSteps& steps)
      : model_(std::move(model)), steps_(steps) {}

  void prepare(const StepSetup& setup) override { share_ = setup.participants / setup.clients; }
  void apply(std::uint32_t round, View state, std::span<const double> direction) override {
    const std::size_t d = state.size() / 2;
    model_->apply(round, state.first(d), direction.first(d));
    const auto number = static_cast<std::size_t>(steps_.count);
    const double scale =
        share_ / (steps_.step_rate(round, number) * static_cast<double>(steps_.count));
    for (std::size_t j = d; j < state.size(); ++j)
      state[j] = static_cast<real>(static_cast<double>(state[j]) - scale * direction[j]);
  }
  void persist(State& state) override { model_->persist(state); }

 private:
  std::unique_ptr<ServerStep> model_;
  LocalSteps steps_;
  double share_ = 1;
};

// SCAFFOLD, option II (Karimireddy et al. 2020): model and control variate are sent in both
// directions, 2d values. No privacy.
Method make_scaffold(Settings& experiment) {
  Method m;
  m.shape = paired_shape;
  m.steps =
      read_local_steps(experiment.section("local"), {.solver = "scaffold-gd", .is_fixed = true});
  m.bound = "none";
  m.noise = false;
  m.private_form = "dp-scaffold";
  m.default_compressor = "identity";
  m.step = Choice<ServerStep>(
      [model = make_averaging_step(experiment, m.steps.rate, {}), steps = m.steps] {
        return std::make_unique<ScaffoldStep>(model.make(), steps);
      });
  return m;
}

// SCAFFOLD with client-level privacy: the message of both halves is clipped to C, and the server
// adds noise to the mean of both. DP-SCAFFOLD of Noble, Bellet and Dieuleveut (2022) protects
// records, with clipped and perturbed gradients at the clients; this is its counterpart for
// clients. The noise on c is never removed, so that the noise of all rounds accumulates there.
Method make_private(Settings& experiment) {
  Method m = make_scaffold(experiment);
  m.bound = "clip-client";
  m.noise = true;
  m.noise_constant = 1;
  m.paper_noise = norm_noise;
  return m;
}

}  // namespace

Row<MethodMaker> scaffold_method() {
  return method_row<make_scaffold>("scaffold",
                                   "fedavg with control variates against drift, no privacy");
}
Row<MethodMaker> dp_scaffold_method() {
  return method_row<make_private>("dp-scaffold",
                                  "scaffold with clipped messages, whole clients private");
}

}  // namespace trilemma
