// Names of methods, and hints for published names that are not methods here.

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "experiment/read_plan.hpp"
#include "method/method.hpp"

namespace trilemma {
namespace {

// Returns a hint for a published name that corresponds to other settings here, whatever its case
// and punctuation; otherwise empty.
std::string other_method(const std::string& written) {
  std::string name;
  for (const char c : written)
    if (c != '-' && c != '_')
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name == "fedavgm") return "choose fedavg and set server.momentum, 0.9 for instance";
  if (name == "fedsgd") return "choose gd, or fedavg with local.steps = 1";
  for (const char* adaptive : {"fedadam", "fedyogi", "fedadagrad", "fedopt", "adam", "adagrad"})
    if (name == adaptive)
      return "there are no adaptive server optimizers here: the server takes plain steps "
             "(server.rate), with fedavg also with momentum (server.momentum)";
  return "";
}

}  // namespace

std::string read_method_name(Settings& experiment) {
  for (const auto& entry : experiment.entries())
    if (const auto* name =
            entry.values.empty() ? nullptr : std::get_if<std::string>(&entry.values[0].value);
        entry.path == "method" && name != nullptr && !other_method(*name).empty())
      experiment.refuse("method", other_method(*name));
  return experiment.choice_of("method", "soteriafl-sgd", choices(methods()),
                              "method of federated optimization");
}

void require_method(const std::string& place, const std::string& method) {
  const auto known = names(methods());
  require(other_method(method).empty(), "{}: unknown method '{}'; {}", place, method,
          other_method(method));
  require(std::find(known.begin(), known.end(), method) != known.end(),
          "{}: unknown method '{}'; {}", place, method,
          did_you_mean(method, known, "`trilemma list methods` has them all"));
}

std::string step_size_key(const std::string& method) {
  Settings none = Settings::from_text("", "step size", {});
  const Method made = row(methods(), method).make(none);
  if (made.node) return "gossip.rate";
  return made.steps.solver.empty() ? "server.rate" : "local.rate";
}

}  // namespace trilemma
