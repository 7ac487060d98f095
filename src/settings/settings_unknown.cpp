// Refusal of keys that are set but unknown or not read.

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "settings/settings.hpp"
#include "settings/settings_document.hpp"

namespace trilemma {

namespace {

// Lists the keys of the table of `path`, if it has only a few, and tables in which the key exists.
std::string what_there_is(const std::string& path, const std::vector<std::string>& known) {
  constexpr std::size_t few = 24;
  const auto table = path.rfind('.') + 1;
  std::vector<std::string> keys;
  std::vector<std::string> elsewhere;
  for (const std::string& key : known) {
    // A common mistake is a key of the top level after the head of a table.
    if (table > 0 && (key == path.substr(table) || key.ends_with(path.substr(table - 1))))
      elsewhere.push_back(key);
    if (table > 0 && key.starts_with(path.substr(0, table)) &&
        key.find('.', table) == std::string::npos)
      keys.push_back(key.substr(table));
  }
  const std::string there = keys.empty() || keys.size() > few
                                ? "`trilemma config --defaults` lists all keys"
                                : fmt::format("[{}] has {}", path.substr(0, table - 1), join(keys));
  return there + (elsewhere.empty() ? "" : "; outside of this table there is " + join(elsewhere));
}

// Common names of settings that have a different name here.
struct UsualName {
  std::string_view word, sentence;
};
constexpr std::string_view both_rates =
    "this program calls it local.rate (clients) or server.rate (server)";
constexpr std::string_view local_rate = "this program calls it local.rate";
constexpr std::string_view server_rate = "this program calls it server.rate";
constexpr std::string_view local_steps =
    "this program counts local steps: local.steps, each on a minibatch of local.batch records";
constexpr std::string_view epochs =
    "set local.unit = \"epoch\" and local.steps to the number of epochs, with a solver that takes "
    "minibatches, such as local.solver = \"sgd\"";
constexpr std::string_view cohort =
    "this program calls it participation.size (participation.kind = \"fixed-size\") or "
    "participation.rate (\"poisson\")";
constexpr std::string_view threshold =
    "this program calls it bound.threshold; bound.kind chooses what is clipped";
constexpr std::string_view optimizer =
    "there is no choice of optimizers: clients take plain gradient steps (local.rate), the server "
    "plain steps (server.rate), with server.momentum for some methods; method chooses the "
    "algorithm";
constexpr auto usual_names = std::to_array<UsualName>({
    {"lr", both_rates},
    {"learning_rate", both_rates},
    {"step_size", both_rates},
    {"stepsize", both_rates},
    {"eta", both_rates},
    {"client_lr", local_rate},
    {"local_lr", local_rate},
    {"client_rate", local_rate},
    {"server_lr", server_rate},
    {"global_lr", server_rate},
    {"server_rate", server_rate},
    {"batch_size", "this program calls it local.batch"},
    {"batchsize", "this program calls it local.batch"},
    {"local_batch_size", "this program calls it local.batch"},
    {"local_steps", "this program calls it local.steps"},
    {"epoch", epochs},
    {"epochs", epochs},
    {"local_epochs", epochs},
    {"num_epochs", epochs},
    {"shuffle", "this program calls it local.sampling = \"shuffled\""},
    {"num_clients", "this program calls it clients"},
    {"n_clients", "this program calls it clients"},
    {"num_users", "this program calls it clients"},
    {"num_rounds", "this program calls it rounds"},
    {"n_rounds", "this program calls it rounds"},
    {"iterations", "this program calls it rounds"},
    {"clients_per_round", cohort},
    {"cohort_size", cohort},
    {"fraction_fit", cohort},
    {"client_fraction", cohort},
    {"fraction", cohort},
    {"noise_multiplier",
     "this program takes the standard deviation of the noise, privacy.sigma, or privacy.epsilon "
     "with privacy.delta"},
    {"target_epsilon", "this program calls it privacy.epsilon"},
    {"target_delta", "this program calls it privacy.delta"},
    {"clip", threshold},
    {"clipping", threshold},
    {"clip_norm", threshold},
    {"clipping_norm", threshold},
    {"max_grad_norm", threshold},
    {"dataset", "this program calls it data.source"},
    {"model", "this program calls it problem.kind; problem.layers lists the layers of a network"},
    {"loss", "this program calls it problem.kind"},
    {"weight_decay", "this program calls it problem.l2"},
    {"mu", "this program calls the pull of FedProx local.pull, and momentum server.momentum"},
    {"prox", "this program calls it local.pull"},
    {"weighting", "this program calls it server.weights"},
    {"random_seed", "this program calls it seed"},
    {"algorithm", "this program calls it method"},
    {"optimizer", optimizer},
    {"optimiser", optimizer},
});

// Returns the name used here for a setting whose last part is a common name elsewhere; otherwise
// empty.
std::string usual_name(const std::string& path) {
  std::string word = path.substr(path.rfind('.') + 1);
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(c));
  });
  for (const auto& [usual, sentence] : usual_names)
    if (word == usual) return std::string(sentence);
  return {};
}

// Returns the hint for a key in quotes, which is one name with a dot in it; empty for other keys.
std::string dot_in_quotes(const std::string& path, const std::vector<std::string>& known) {
  if (path.size() < 2 || path.front() != '"') return {};
  const std::string meant = path.substr(1, path.size() - 2);
  if (!std::ranges::count(known, meant)) return {};
  return fmt::format("in quotes, it is one name with a dot in it; write {} without the quotes",
                     meant);
}

// Returns a hint if the head of a layer is a misspelling of [methods] or [modes]; otherwise empty.
std::string meant_layer(const std::string& path, const std::vector<std::string>& known) {
  constexpr std::size_t near = 2;
  const auto name = path.find('.') + 1;
  const auto key = path.find('.', name) + 1;
  if (name == 0 || key == 0 || !std::ranges::count(known, path.substr(key))) return {};
  for (const std::string family : {"methods", "modes"})
    if (edit_distance(path.substr(0, name - 1), family) <= near)
      return fmt::format("did you mean [{}.{}]?", family, path.substr(name, key - 1 - name));
  return {};
}

}  // namespace

void Settings::refuse_unknown(const std::vector<std::string>& known) const {
  constexpr std::size_t most_named = 4;
  std::vector<std::string> reported;  // places and paths: a key of a chosen layer occurs twice
  std::string found;
  for (const auto& leaf : document_->leaves()) {
    if (std::find(known.begin(), known.end(), leaf.path) != known.end()) continue;
    // If a value stands in place of a table, the section that needs the table reports it.
    const auto inside = [&](const std::string& key) { return key.starts_with(leaf.path + "."); };
    if (std::any_of(known.begin(), known.end(), inside)) continue;
    std::string name = leaf.place + ": " + leaf.path;
    if (std::find(reported.begin(), reported.end(), name) != reported.end()) continue;
    reported.push_back(std::move(name));
    if (reported.size() > most_named) continue;
    if (!found.empty()) found += found.ends_with('?') ? " " : ". ";
    std::string hint = dot_in_quotes(leaf.path, known);
    if (hint.empty()) hint = meant_layer(leaf.path, known);
    if (hint.empty()) hint = usual_name(leaf.path);
    found += fmt::format("{}: {}: unknown key; {}", leaf.place, shown(leaf.path, 200),
                         !hint.empty()
                             ? shown(hint, 300)
                             : did_you_mean(leaf.path, known, what_there_is(leaf.path, known)));
  }
  if (reported.size() > most_named)
    found += fmt::format("{} {} more keys are unknown", found.ends_with('?') ? "" : ".",
                         reported.size() - most_named);
  require(found.empty(), "{}", found);
}

void Settings::refuse_unused() const {
  for (const auto& path : document_->from_command_line)
    if (document_->read.count(path) == 0)
      throw UnreadSetting(Mistake{.place = SourcePlace::command_line(),
                                  .key = path,
                                  .problem = "the chosen method and parts do not read this key",
                                  .remedy = "leave it out, or choose parts that use it"});
}

void Settings::refuse_unknown_layers(std::string_view family,
                                     const std::vector<std::string>& names) const {
  for (const auto& layer : document_->layers(family)) {
    if (std::find(names.begin(), names.end(), layer.path) != names.end()) continue;
    throw UserError(
        fmt::format("{}: [{}.{}]: unknown name; {}", layer.place, family, shown(layer.path),
                    did_you_mean(layer.path, names, fmt::format("known are {}", join(names)))));
  }
}

}  // namespace trilemma
