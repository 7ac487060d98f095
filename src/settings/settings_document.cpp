#include "settings/settings_document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <sstream>

#include "base/text.hpp"

namespace trilemma {
namespace {

// Merges `upper` into `lower`, table by table; keys of `upper` win.
void merge(toml::table& lower, const toml::table& upper) {
  for (const auto& [key, node] : upper) {
    auto* below = lower.get(key);
    if (below != nullptr && below->is_table() && node.is_table())
      merge(*below->as_table(), *node.as_table());
    else
      lower.insert_or_assign(key, node);
  }
}

// Removes from a layer the keys that `upper` sets.
void drop(toml::table& layer, const toml::table& upper) {
  for (const auto& [key, node] : upper) {
    auto* below = layer.get(key);
    if (below == nullptr) continue;
    if (below->is_table() && node.is_table())
      drop(*below->as_table(), *node.as_table());
    else
      layer.erase(key);
  }
}

SettingValue as_value(const toml::node& node) {
  SettingValue result{{}, as_toml(node)};
  if (const auto* flag = node.as_boolean(); flag != nullptr) result.value = flag->get();
  if (const auto* whole = node.as_integer(); whole != nullptr) result.value = whole->get();
  if (const auto* number = node.as_floating_point(); number != nullptr)
    result.value = number->get();
  if (const auto* text = node.as_string(); text != nullptr) result.value = text->get();
  return result;
}

using Visit = std::function<void(const std::string& path, const toml::node& node)>;

// Visits all nodes below a table; tables and lists of tables are visited before their contents.
void each_node(const toml::table& table, const std::string& prefix, const Visit& visit) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix.empty() ? std::string(key) : prefix + "." + std::string(key);
    visit(path, node);
    if (node.is_table()) each_node(*node.as_table(), path, visit);
    if (!node.is_array_of_tables()) continue;
    const auto& tables = *node.as_array();
    for (std::size_t i = 0; i < tables.size(); ++i)
      each_node(*tables[i].as_table(), fmt::format("{}[{}]", path, i), visit);
  }
}

void each_leaf(const toml::table& table, const std::string& prefix, const Visit& visit) {
  each_node(table, prefix, [&](const std::string& path, const toml::node& node) {
    if (!node.is_table()) visit(path, node);
  });
}

// Returns the path of a key. A key with a dot inside quotes keeps its quotes, because without them
// it would look like a key in a table.
std::string name_of(const toml::table& table, const std::string& path, const toml::node& node) {
  return table.at_path(path).node() == &node ? path : '"' + path + '"';
}

}  // namespace

SettingsDocument SettingsDocument::from_file(const std::string& file) {
  SettingsDocument document(file);
  document.read_file(file, 0);
  return document;
}

SettingsDocument SettingsDocument::from_text(const std::string& text, const std::string& name) {
  SettingsDocument document(name);
  document.lay(parse_settings(text, name), name);
  return document;
}

// Records the places of all keys first, since copies of nodes lose their source positions.
void SettingsDocument::lay(const toml::table& upper, const std::string& file) {
  ++layers_laid_;
  each_node(upper, "", [&](const std::string& path, const toml::node& node) {
    const auto& begin = node.source().begin;
    places_[path] = {fmt::format("{}:{}", file, begin.line), file, begin.line, begin.column,
                     layers_laid_};
  });
  merge(table_, upper);
}

void SettingsDocument::read_file(const std::string& file, int depth) {
  require(depth < 8, "{}: a chain of more than 8 `base` files; is it circular?", file);
  toml::table table = parse_settings_file(file);
  if (const auto* base = table.get("base"); base != nullptr) {
    require(base->is_string(), "{}:{}: base must be the name of a file in quotes", file,
            base->source().begin.line);
    const auto folder = std::filesystem::path(file).parent_path();
    read_file((folder / base->as_string()->get()).string(), depth + 1);
    table.erase("base");
    lift_over_layers(table);
  }
  lay(table, file);
}

// Keys of a file also override the layers of its bases.
void SettingsDocument::lift_over_layers(toml::table upper) {
  constexpr const char* families[] = {"modes", "methods"};
  for (const char* family : families) upper.erase(family);
  for (const char* family : families) {
    auto* all = table_.get_as<toml::table>(family);
    if (all == nullptr) continue;
    for (auto&& [key, layer] : *all)
      if (layer.is_table()) drop(*layer.as_table(), upper);
  }
}

void SettingsDocument::overlay(const char* family, const char* selector) {
  auto* all = table_.get(family);
  if (all == nullptr) return;
  require(all->is_table(), "{}: {} must be a table of tables", place(family), family);
  const auto* chosen = table_.get(selector);
  const std::string name =
      chosen != nullptr && chosen->is_string() ? chosen->as_string()->get() : "";
  toml::table kept = *all->as_table();
  table_.erase(family);
  for (const auto& [key, node] : kept) {
    const std::string path = fmt::format("{}.{}", family, std::string_view(key));
    require(node.is_table(), "{}: {} must be a table of settings", place(path), shown(path));
    for (const char* choice : {"method", "mode"})
      require(
          !node.as_table()->contains(choice),
          "{}: {}.{}: a layer is chosen by method and mode, so it cannot set them; set {} outside "
          "of the layers",
          place(path + "." + choice), shown(path), choice, choice);
  }
  if (const auto* layer = kept.get(name); layer != nullptr) {
    const std::string prefix = fmt::format("{}.{}", family, name);
    each_node(*layer->as_table(), "", [&](const std::string& path, const toml::node&) {
      const auto found = places_.find(prefix + "." + path);
      places_[path] = found != places_.end() ? found->second : Place{file_, file_};
      places_[path].in_layer = true;
    });
    merge(table_, *layer->as_table());
  }
  overlays_.insert_or_assign(family, std::move(kept));
}

void SettingsDocument::resolve(const std::vector<std::string>& overrides, SettingSource asked_by) {
  asked_by_ = asked_by;
  toml::table commanded;
  for (const auto& text : overrides) merge(commanded, parse_override(text));
  const auto report_places = [&] {
    each_leaf(commanded, "", [this](const std::string& path, const toml::node&) {
      places_[path] = {"--set", {}, 0, 0, std::numeric_limits<std::uint32_t>::max()};
    });
  };
  report_places();
  // Merged twice: before the layers are applied, so that the command line can choose them, and
  // after, so that it overrides them.
  merge(table_, commanded);
  overlay("modes", "mode");
  overlay("methods", "method");
  commanded.erase("modes");
  commanded.erase("methods");
  merge(table_, commanded);
  report_places();
  each_leaf(commanded, "",
            [this](const std::string& path, const toml::node&) { from_command_line.insert(path); });
}

const toml::node* SettingsDocument::find(const std::string& path) const {
  return table_.at_path(path).node();
}

std::vector<SettingsDocument::Leaf> SettingsDocument::leaves() const {
  std::vector<Leaf> all;
  const auto leaf = [this](const std::string& name, const std::string& path) -> Leaf {
    const auto found = places_.find(path);
    if (found == places_.end()) return {name, file_};
    return {name, found->second.text, found->second.layer, found->second.line};
  };
  each_leaf(table_, "", [&](const std::string& path, const toml::node& node) {
    all.push_back(leaf(name_of(table_, path, node), path));
  });
  for (const auto& [family, layers] : overlays_)
    for (const auto& [name, layer] : *layers.as_table()) {
      const std::string prefix =
          fmt::format("{}.{}.", std::string_view(family), std::string_view(name));
      const auto& table = *layer.as_table();
      each_leaf(table, "", [&](const std::string& path, const toml::node& node) {
        all.push_back(leaf(name_of(table, path, node), prefix + path));
      });
    }
  std::ranges::stable_sort(all, {}, [](const Leaf& leaf) {
    return std::pair(std::numeric_limits<std::uint32_t>::max() - leaf.layer, leaf.line);
  });
  return all;
}

std::vector<SettingEntry> SettingsDocument::entries() const {
  std::vector<SettingEntry> all;
  const auto add = [&](const std::string& path, const toml::node& node) {
    if (node.is_array_of_tables()) return;
    SettingEntry entry{path, source_place(path), node.is_array(), {}};
    if (const auto* list = node.as_array(); list != nullptr)
      for (const auto& value : *list) entry.values.push_back(as_value(value));
    else
      entry.values.push_back(as_value(node));
    all.push_back(std::move(entry));
  };
  each_leaf(table_, "", add);
  each_leaf(overlays_, "", add);
  const auto position = [this](const SettingEntry& entry) {
    const auto found = places_.find(entry.path);
    return found == places_.end() ? std::pair(0U, 0U)
                                  : std::pair(found->second.line, found->second.column);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return position(a) < position(b); });
  return all;
}

std::vector<SettingsDocument::Leaf> SettingsDocument::layers(std::string_view family) const {
  std::vector<Leaf> all;
  const auto* layers = overlays_.get(family);
  if (layers == nullptr) return all;
  for (const auto& [name, layer] : *layers->as_table())
    all.push_back({std::string(name.str()), place(fmt::format("{}.{}", family, name.str()))});
  return all;
}

SourcePlace SettingsDocument::source_place(const std::string& path) const {
  const auto found = places_.find(path);
  if (found == places_.end()) return {file_, 0};
  // Keys of the command line are in no file.
  if (found->second.file.empty()) return SourcePlace::command_line();
  return {found->second.file, static_cast<long>(found->second.line)};
}

Origin SettingsDocument::origin_of(const std::string& path) const {
  const auto found = places_.find(path);
  if (found == places_.end() || find(path) == nullptr) return {};
  const Place& place = found->second;
  const SettingSource source = place.layer > layers_laid_    ? asked_by_
                               : place.layer == layers_laid_ ? SettingSource::experiment
                                                             : SettingSource::base;
  return {source, place.layer, place.in_layer};
}

const std::string& SettingsDocument::file_of(const std::string& path) const {
  const auto found = places_.find(path);
  return found == places_.end() || found->second.file.empty() ? file_ : found->second.file;
}

std::string as_toml(const toml::node& node) {
  if (const auto* number = node.as_floating_point(); number != nullptr) {
    // Writes the shortest digits that represent the number, marked as a float.
    const std::string digits = fmt::format("{}", number->get());
    return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
  }
  std::ostringstream out;
  constexpr auto flags =
      toml::toml_formatter::default_flags & ~toml::format_flags::allow_multi_line_strings;
  out << toml::toml_formatter(node, flags);
  return out.str();
}

std::string whole_text(const toml::node& node) {
  constexpr double most = 9007199254740992.0;  // 2^53
  if (!node.is_floating_point()) return "";
  const double value = *node.value<double>();
  const bool is_whole = std::fabs(value) <= most && value == std::floor(value);
  return is_whole ? std::to_string(static_cast<long>(value)) : "";
}

std::optional<std::vector<long>> whole_numbers(const toml::node& node) {
  std::vector<long> all;
  if (const auto* text = node.as_string(); text != nullptr) {
    std::istringstream words(text->get());
    for (std::string word; std::getline(words, word, '-');) {
      long number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error != std::errc() || end != word.data() + word.size()) return {};
      all.push_back(number);
    }
    const bool complete = !all.empty() && text->get().back() != '-';
    return complete ? std::optional(all) : std::nullopt;
  }
  const toml::array one(node);
  for (const auto& part : node.is_array() ? *node.as_array() : one) {
    if (!part.is_integer()) return {};
    all.push_back(static_cast<long>(*part.value<std::int64_t>()));
  }
  return all;
}

std::optional<std::vector<double>> real_numbers(const toml::node& node) {
  std::vector<double> all;
  const toml::array one(node);
  for (const auto& part : node.is_array() ? *node.as_array() : one) {
    if (!part.is_number()) return {};
    all.push_back(*part.value<double>());
  }
  return all;
}

}  // namespace trilemma
