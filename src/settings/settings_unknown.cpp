// What the files and the command line set and nobody knows or reads.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/text.hpp"
#include "settings/settings.hpp"
#include "settings/settings_document.hpp"

namespace trilemma {

namespace {

// What a table has, if `path` is in one that has a few keys, and where the name is one elsewhere.
std::string what_there_is(const std::string& path, const std::vector<std::string>& known) {
  constexpr std::size_t few = 16;
  const auto table = path.rfind('.') + 1;
  std::vector<std::string> keys;
  std::vector<std::string> elsewhere;
  for (const std::string& key : known) {
    // A key of the top level that stands below the head of a table is a usual slip.
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

// Usual names of settings that are called otherwise here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 17> usual_names = {{
    {"lr", "server.rate and local.rate"},
    {"learning_rate", "server.rate and local.rate"},
    {"step_size", "server.rate and local.rate"},
    {"eta", "server.rate and local.rate"},
    {"batch_size", "local.batch"},
    {"local_steps", "local.steps"},
    {"num_clients", "clients"},
    {"num_rounds", "rounds"},
    {"iterations", "rounds"},
    {"noise_multiplier", "privacy.sigma and privacy.epsilon"},
    {"clip", "bound.threshold"},
    {"clipping", "bound.threshold"},
    {"max_grad_norm", "bound.threshold"},
    {"dataset", "data.source"},
    {"model", "problem.kind"},
    {"optimizer", "method"},
    {"algorithm", "method"},
}};

// What a setting is called here that has `path`'s last word elsewhere; else empty.
std::string usual_name(const std::string& path) {
  const std::string_view word = std::string_view(path).substr(path.rfind('.') + 1);
  for (const auto& [usual, here] : usual_names)
    if (word == usual) return fmt::format("here that is {}", here);
  return {};
}

// The path in [methods] or [modes], where the head of a layer is nearly one of these; else empty.
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
  std::vector<std::string> told;  // places and paths: a layer that is chosen is there twice
  std::string found;
  for (const auto& leaf : document_->leaves()) {
    if (std::find(known.begin(), known.end(), leaf.path) != known.end()) continue;
    // A value where a table belongs is reported by the section that misses the table.
    const auto inside = [&](const std::string& key) { return key.starts_with(leaf.path + "."); };
    if (std::any_of(known.begin(), known.end(), inside)) continue;
    std::string name = leaf.place + ": " + leaf.path;
    if (std::find(told.begin(), told.end(), name) != told.end()) continue;
    told.push_back(std::move(name));
    if (told.size() > most_named) continue;
    if (!found.empty()) found += found.ends_with('?') ? " " : ". ";
    std::string hint = meant_layer(leaf.path, known);
    if (hint.empty()) hint = usual_name(leaf.path);
    found += fmt::format("{}: {}: unknown key; {}", leaf.place, shown(leaf.path, 200),
                         !hint.empty()
                             ? shown(hint)
                             : did_you_mean(leaf.path, known, what_there_is(leaf.path, known)));
  }
  if (told.size() > most_named)
    found += fmt::format("{} {} more keys are unknown", found.ends_with('?') ? "" : ".",
                         told.size() - most_named);
  require(found.empty(), "{}", found);
}

void Settings::refuse_unused() const {
  for (const auto& path : document_->from_command_line)
    if (document_->read.count(path) == 0)
      throw UnreadSetting(fmt::format(
          "--set {}: the chosen method and parts do not read this key; leave it out, or choose parts "
          "that use it",
          path));
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
