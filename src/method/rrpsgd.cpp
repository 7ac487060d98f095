#include <algorithm>
#include <numeric>

#include "method/server_step.hpp"

namespace trilemma {

std::vector<double> OutputLaw::probabilities(std::size_t rounds) const {
  std::vector<double> law(rounds);
  for (std::size_t k = 0; k < rounds; ++k) {
    const double eta = rate.at(static_cast<std::uint32_t>(k));
    law[k] = 2 * eta - smoothness * eta * eta;
    expect(law[k] > 0, "weights of the released model are positive");
  }
  const double total = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& p : law) p /= total;
  return law;
}

namespace {

// Takes gradient steps in all rounds, so that the recorded curve is that of SGD, and ends at the
// model before step R.
class RandomRoundStep final : public ServerStep {
 public:
  explicit RandomRoundStep(OutputLaw law) : law_(law) {}

  void prepare(const StepSetup& setup) override {
    rounds_ = static_cast<std::uint32_t>(setup.rounds);
    kept_.assign(setup.dimension, real{0});
    if (rounds_ == 0) return;
    const auto law = law_.probabilities(rounds_);
    const double u = Stream(setup.output).uniform();
    double sum = 0;
    output_ = rounds_ - 1;
    for (std::uint32_t k = 0; k < rounds_; ++k)
      if ((sum += law[k]) > u) {
        output_ = k;
        break;
      }
  }
  void apply(std::uint32_t round, View x, std::span<const double> direction) override {
    if (round == output_) kept_.assign(x.begin(), x.end());
    const double rate = law_.rate.at(round);
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = static_cast<real>(static_cast<double>(x[j]) - rate * direction[j]);
    if (round + 1 == rounds_) std::copy(kept_.begin(), kept_.end(), x.begin());
  }
  void persist(State& state) override {
    state.value(output_);
    state.values(kept_);
  }

 private:
  OutputLaw law_;
  std::uint32_t rounds_ = 0;
  std::uint32_t output_ = 0;  ///< R
  Vector kept_;               ///< the model before step R
};

// Random round private SGD (Zhang, Zheng, Mou and Wang 2017): SGD with noise of a trusted server,
// of which only the model before step R is released; R is drawn independently of the data.
Method make_rrpsgd(Settings& experiment) {
  Method m;
  m.estimator = "sgd";
  m.bound = "clip-record";
  m.compressor = m.default_compressor = "identity";
  m.is_central = true;
  m.noise_constant = 32;
  m.paper_noise = random_round_noise;
  Settings server = experiment.section("server");
  OutputLaw law{.rate = read_decay(server, read_gradient_rate(experiment))};
  law.smoothness =
      server.number("smoothness", 0.0, at_least(0),
                    "L: the released model is that before step k with probability proportional "
                    "to 2 eta_k - L eta_k^2");
  if (law.smoothness * law.rate.first >= 2)
    server.refuse("smoothness",
                  fmt::format("the probability of a round, proportional to 2 eta - L eta^2, is not "
                              "positive for server.rate = {:g}; set less than {:g}",
                              law.rate.first, 2 / law.rate.first));
  m.output = law;
  m.step = Choice<ServerStep>([law] { return std::make_unique<RandomRoundStep>(law); });
  return m;
}

}  // namespace

Row<MethodMaker> rrpsgd_method() {
  return method_row<make_rrpsgd>("rrpsgd",
                                 "dp-sgd of which only the model of a random round is released");
}

}  // namespace trilemma
