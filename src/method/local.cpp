#include "method/server_step.hpp"

namespace trilemma {
namespace {

// Leaves the server's model unchanged.
class StandStill final : public ServerStep {
 public:
  void apply(std::uint32_t, View, std::span<const double>) override {}
};

// Every client trains its own model on its own records, w_k -= eta grad l_k(w_k), and sends nothing
// ([PMTL] appendix A.7): PMTL without pull, from the clients' perspective.
Method make_local(Settings& experiment) {
  Method m;
  m.shape = silent_shape;
  m.steps =
      read_local_steps(experiment.section("local"), {.solver = "personal-gd", .is_fixed = true});
  m.bound = "none";
  m.noise = false;
  m.compressor = m.default_compressor = "identity";
  m.step = Choice<ServerStep>(std::make_unique<StandStill>);
  return m;
}

}  // namespace

Row<MethodMaker> local_method() {
  return method_row<make_local>("local", "personal models, each trained alone; nothing is sent");
}

}  // namespace trilemma
