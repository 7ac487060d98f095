#include "method/server_step.hpp"
#include "numeric/directions.hpp"

namespace trilemma {
namespace {

// x -= beta/P sum_m g_m z_m along the directions of the round, where g is the mean of the clients'
// scalars as a client receives it.
class DirectionsStep final : public ServerStep {
 public:
  DirectionsStep(const Rate& rate, long perturbations)
      : rate_(rate), perturbations_(static_cast<double>(perturbations)) {}

  void prepare(const StepSetup& setup) override { seed_ = setup.output.seed; }
  void apply(std::uint32_t round, View x, std::span<const double> direction) override {
    scalars_.resize(direction.size());
    for (std::size_t m = 0; m < direction.size(); ++m)
      scalars_[m] = static_cast<real>(direction[m]);
    move_along_directions(seed_, round, scalars_, rate_.at(round) / perturbations_, x);
  }

 private:
  Rate rate_;
  double perturbations_;
  std::uint64_t seed_ = 0;
  Vector scalars_;
};

// DeComFL (Li, Ying, Liu, Dong and Yang 2025, algorithms 3 and 4): E P scalars up, their mean down,
// for a model of any size (local/zeroth_solver.cpp).
Method make_decomfl(Settings& experiment) {
  Method m;
  m.steps = read_local_steps(experiment.section("local"),
                             {.solver = "zeroth-sgd", .rate = 0.01, .is_fixed = true});
  m.shape = scalars_shape(m.steps.scalars());
  m.bound = "none";
  m.noise = false;
  m.private_form = "dp-decomfl";
  m.compressor = m.default_compressor = "identity";
  m.can_weigh_records = true;
  m.clients_can_step = true;
  const Rate rate =
      read_server_rate(experiment.section("server"), m.steps.rate, {.is_local = true});
  m.step = Choice<ServerStep>([rate, perturbations = m.steps.perturbations] {
    return std::make_unique<DirectionsStep>(rate, perturbations);
  });
  return m;
}

// The scalars of a client, as one vector, are clipped and perturbed: directions are public, so that
// the model is post-processing of their noisy mean.
Method make_dp_decomfl(Settings& experiment) {
  Method m = make_decomfl(experiment);
  m.bound = "clip-client";
  m.noise = true;
  m.can_weigh_records = false;
  return m;
}

}  // namespace

Row<MethodMaker> decomfl_method() {
  return method_row<make_decomfl>(
      "decomfl", "zeroth-order steps along common random directions; a few scalars are sent");
}
Row<MethodMaker> dp_decomfl_method() {
  return method_row<make_dp_decomfl>("dp-decomfl",
                                     "decomfl with clipped scalars, whole clients private");
}

}  // namespace trilemma
