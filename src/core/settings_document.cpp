#include "core/settings_document.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

namespace trilemma {
namespace {

// Lays `upper` over `lower`, tables key by key.
void merge(toml::table& lower, const toml::table& upper) {
  for (const auto& [key, node] : upper) {
    auto* below = lower.get(key);
    if (below != nullptr && below->is_table() && node.is_table())
      merge(*below->as_table(), *node.as_table());
    else
      lower.insert_or_assign(key, node);
  }
}

std::string parse_problem(const toml::parse_error& error, const std::string& file) {
  return fmt::format("{}:{}: not valid TOML: {}; mend the line", file, error.source().begin.line,
                     error.description());
}

std::pair<std::string, std::string> split(const std::string& text) {
  const auto equal = text.find('=');
  require(equal != std::string::npos && equal > 0,
          "--set {}: no '=' found; write --set key.path=value", text);
  auto trim = [](std::string s) {
    s.erase(0, s.find_first_not_of(" \t"));
    s.erase(s.find_last_not_of(" \t") + 1);
    return s;
  };
  return {trim(text.substr(0, equal)), trim(text.substr(equal + 1))};
}

// key.path=value as a table; a value that is no TOML is taken as text, so that words need no
// quotes.
toml::table parse_override(const std::string& text) {
  const auto [key, value] = split(text);
  const std::string source = "--set " + text;
  try {
    return toml::parse(key + " = " + value, source);
  } catch (const toml::parse_error&) {
    try {
      return toml::parse(key + " = '''" + value + "'''", source);
    } catch (const toml::parse_error&) {
      throw UserError(fmt::format("{}: not a key and a value; write --set key.path=value", source));
    }
  }
}

using Visit = std::function<void(const std::string& path, const toml::node& node)>;

void each_leaf(const toml::table& table, const std::string& prefix, const Visit& visit) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix.empty() ? std::string(key) : prefix + "." + std::string(key);
    if (node.is_table())
      each_leaf(*node.as_table(), path, visit);
    else
      visit(path, node);
  }
}

std::string place_of(const toml::node& node, const std::string& file) {
  const auto& source = node.source();
  const std::string name = source.path ? *source.path : file;
  return name.starts_with("--set") ? "--set" : fmt::format("{}:{}", name, source.begin.line);
}

}  // namespace

toml::table SettingsDocument::parse_file(const std::string& file, int depth) {
  require(depth < 8, "{}: more than 8 files follow each other by `base`; is there a circle?", file);
  require(std::filesystem::is_regular_file(file), "{}: no such experiment file; check the path",
          file);
  toml::table table;
  try {
    table = toml::parse_file(file);
  } catch (const toml::parse_error& error) {
    throw UserError(parse_problem(error, file));
  }
  const auto* base = table.get("base");
  if (base == nullptr) return table;
  require(base->is_string(), "{}:{}: base must be the name of a file in quotes", file,
          base->source().begin.line);
  const auto lower_file =
      (std::filesystem::path(file).parent_path() / base->as_string()->get()).string();
  table.erase("base");
  toml::table lower = parse_file(lower_file, depth + 1);
  merge(lower, table);
  return lower;
}

void SettingsDocument::overlay(const char* family, const char* selector) {
  auto* all = table_.get(family);
  if (all == nullptr) return;
  require(all->is_table(), "{}: [{}] must be a table of tables", file_, family);
  const auto* chosen = table_.get(selector);
  const std::string name =
      chosen != nullptr && chosen->is_string() ? chosen->as_string()->get() : "";
  toml::table kept = *all->as_table();
  table_.erase(family);
  for (const auto& [key, node] : kept)
    require(node.is_table(), "{}:{}: [{}.{}] must be a table", file_, node.source().begin.line,
            family, std::string_view(key));
  if (const auto* layer = kept.get(name); layer != nullptr) {
    const toml::table copy = *layer->as_table();
    merge(table_, copy);
  }
  overlays_.insert_or_assign(family, std::move(kept));
}

void SettingsDocument::resolve(const std::vector<std::string>& overrides) {
  std::vector<toml::table> parsed;
  for (const auto& text : overrides) {
    parsed.push_back(parse_override(text));
    each_leaf(parsed.back(), "", [this](const std::string& path, const toml::node&) {
      from_command_line.insert(path);
    });
    merge(table_, parsed.back());
  }
  overlay("modes", "mode");
  overlay("methods", "method");
  for (const auto& upper : parsed) merge(table_, upper);
}

const toml::node* SettingsDocument::find(const std::string& path) const {
  const auto view = table_.at_path(path);
  return view.node();
}

std::vector<SettingsDocument::Leaf> SettingsDocument::leaves() const {
  std::vector<Leaf> all;
  each_leaf(table_, "", [&](const std::string& path, const toml::node& node) {
    all.push_back({path, place_of(node, file_), false});
  });
  for (const auto& [family, layers] : overlays_)
    for (const auto& [name, layer] : *layers.as_table())
      each_leaf(*layer.as_table(), "", [&](const std::string& path, const toml::node& node) {
        all.push_back({path, place_of(node, file_), true});
      });
  return all;
}

std::vector<SettingsDocument::Leaf> SettingsDocument::layers(std::string_view family) const {
  std::vector<Leaf> all;
  const auto* layers = overlays_.get(family);
  if (layers == nullptr) return all;
  for (const auto& [name, layer] : *layers->as_table())
    all.push_back({std::string(name.str()), place_of(layer, file_), true});
  return all;
}

std::string SettingsDocument::place(const std::string& path) const {
  const auto* node = find(path);
  return node == nullptr ? file_ : place_of(*node, file_);
}

std::string as_toml(const toml::node& node) {
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

}  // namespace trilemma
