#include "experiment/step_size.hpp"

#include "method/method.hpp"

namespace trilemma {

std::string step_size_key(const std::string& method) {
  Settings none = Settings::from_text("", "step size", {});
  const Method made = row(methods(), method).make(none);
  if (made.node) return "gossip.rate";
  return made.steps.solver.empty() ? "server.rate" : "local.rate";
}

}  // namespace trilemma
