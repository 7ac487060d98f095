#include "method/timed.hpp"

namespace trilemma {
namespace {

class MeanWithServer final : public ServerStep {
 public:
  void prepare(const StepSetup& setup) override {
    share_ = setup.participants / (setup.participants + 1);
  }
  void apply(std::uint32_t, View x, std::span<const double> direction) override {
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = static_cast<real>(static_cast<double>(x[j]) - share_ * direction[j]);
  }

 private:
  double share_ = 0;
};

}  // namespace

Method timed_method(Settings& experiment, const StepDefaults& defaults) {
  StepDefaults with = defaults;
  with.is_timed = true;
  with.is_fixed = true;
  Method m;
  m.driver = "timed";
  m.steps = read_local_steps(experiment.section("local"), with);
  m.default_bound = "none";
  m.noise = false;
  m.noise_follows_bound = true;
  m.default_compressor = "identity";
  return m;
}

bool follows_code(Settings& experiment) {
  return experiment.section("server").choice(
             "preset", "plain", {"plain", "code"},
             "plain: as in the papers; code: as in the published simulators: FAVANO and QuAFL "
             "keep a step under way at a contact, local step sizes are multiplied by (s + 1) / s "
             "in QuAFL and by Z / n in FedBuff, whose clients wait for the server") == "code";
}

Choice<ServerStep> make_timed_step(Settings& experiment, double rate, const char* help) {
  Settings server = experiment.section("server");
  return make_constant_step(server.number("rate", rate, positive(), help));
}

Choice<ServerStep> make_mean_with_server() {
  return Choice<ServerStep>([] { return std::make_unique<MeanWithServer>(); });
}

}  // namespace trilemma
