#include "algorithm/method.hpp"

namespace trilemma {

// One declaration and one row for each method.
Row<MethodMaker> gd_method();
Row<MethodMaker> ldp_sgd_method();
Row<MethodMaker> ldp_svrg_method();
Row<MethodMaker> cdp_sgd_method();
Row<MethodMaker> soteriafl_gd_method();
Row<MethodMaker> soteriafl_sgd_method();
Row<MethodMaker> soteriafl_svrg_method();
Row<MethodMaker> soteriafl_saga_method();

std::span<const Row<MethodMaker>> methods() {
  static const Row<MethodMaker> table[] = {
      gd_method(),
      ldp_sgd_method(),
      ldp_svrg_method(),
      cdp_sgd_method(),
      soteriafl_gd_method(),
      soteriafl_sgd_method(),
      soteriafl_svrg_method(),
      soteriafl_saga_method(),
  };
  return table;
}

namespace {

class GradientStep final : public ServerStep {
 public:
  explicit GradientStep(double rate) : rate_(rate) {}
  void apply(View x, std::span<const double> direction) override {
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = static_cast<real>(static_cast<double>(x[j]) - rate_ * direction[j]);
  }
  void persist(State&) override {}

 private:
  double rate_;
};

double read_rate(Settings& server) {
  return server.number("rate", 0.3, positive(), "eta: step size of the server");
}

}  // namespace

std::unique_ptr<ServerStep> make_gradient_step(Settings& server) {
  return std::make_unique<GradientStep>(read_rate(server));
}
void declare_gradient_step(Settings& server) { read_rate(server); }

}  // namespace trilemma
