#include <cmath>

#include "method/server_step.hpp"

namespace trilemma {
namespace {

struct FedAdagradOptions {
  double rate = 0.1, tau = 1e-3;
  void read(Reader& r) {
    r("rate", rate, positive(), "eta: step size of the server");
    r("tau", tau, positive(), "tau: lower bound of the divisor of a coordinate");
  }
};

// s_j += u_j^2, x_j -= eta u_j / (sqrt(s_j) + tau), where u is the mean client update and s_j
// starts at tau^2.
class AdagradStep final : public ServerStep {
 public:
  explicit AdagradStep(const FedAdagradOptions& options) : options_(options) {}
  void apply(std::uint32_t, View x, std::span<const double> direction) override {
    squares_.resize(x.size(), options_.tau * options_.tau);
    for (std::size_t j = 0; j < x.size(); ++j) {
      squares_[j] += direction[j] * direction[j];
      const double divisor = std::sqrt(squares_[j]) + options_.tau;
      x[j] = static_cast<real>(static_cast<double>(x[j]) - options_.rate * direction[j] / divisor);
    }
  }
  void persist(State& state) override { state.values(squares_); }

 private:
  FedAdagradOptions options_;
  std::vector<double> squares_;
};

// FedAdagrad (Reddi et al. 2021, algorithm 2 with beta_1 = 0): clients send u_i = x - w_i, where
// w_i is the model after local steps from x; the server takes an Adagrad step along the mean of the
// u_i.
Method make_fedadagrad(Settings& experiment) {
  Method m;
  m.steps = read_local_steps(experiment.section("local"), {});
  m.bound = "none";
  m.noise = false;
  m.default_compressor = "identity";
  const auto options = read_options<FedAdagradOptions>(experiment.section("server"));
  m.step = Choice<ServerStep>([options] { return std::make_unique<AdagradStep>(options); });
  return m;
}

}  // namespace

Row<MethodMaker> fedadagrad_method() {
  return method_row<make_fedadagrad>("fedadagrad",
                                     "fedavg with an Adagrad step of the server, no privacy");
}

}  // namespace trilemma
