#include "experiment/step_size.hpp"

#include "method/method.hpp"

namespace trilemma {

std::string step_size_key(const std::string& method) {
  Settings none = Settings::from_text("", "step size", {});
  const bool takes_steps = !row(methods(), method).make(none).steps.solver.empty();
  return takes_steps ? "local.rate" : "server.rate";
}

}  // namespace trilemma
