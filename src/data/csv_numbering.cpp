#include "data/csv_numbering.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/check.hpp"
#include "base/text.hpp"

namespace trilemma {
namespace {

using LabelsSeen = std::map<std::string, std::pair<std::size_t, std::size_t>>;

std::string rarest(const CsvTable& table, std::size_t target, const LabelsSeen& seen) {
  const auto least = std::ranges::min_element(
      seen, {}, [](const LabelsSeen::value_type& label) { return label.second.first; });
  return fmt::format("the rarest is \"{}\", first in {}", shown(least->first, 20),
                     table.place(least->second.second, target));
}

}  // namespace

Numbering number_labels(const CsvTable& table, std::size_t target, int classes) {
  std::set<std::string> found;
  LabelsSeen seen;  // count and first occurrence
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::string& label = table.text(r, target);
    found.insert(label);
    ++seen.try_emplace(label, 0, r).first->second.first;
  }
  require(found.size() != 1,
          "{}: \"{}\" is the only label in column \"{}\"; choose another data.target", table.file,
          shown(*found.begin(), 20), shown(table.header[target]));
  if (found.size() == static_cast<std::size_t>(classes)) return number_words(found);
  const bool too_many = found.size() > static_cast<std::size_t>(classes);
  throw UserError(fmt::format(
      "{}: {} different labels in column \"{}\" ({}), but data.classes = {}; {}set data.classes = {}, "
      "or 0 where they are real targets",
      table.file, found.size(), shown(table.header[target]),
      shown(join({found.begin(), found.end()})), classes,
      too_many ? fmt::format("fix what is mistyped ({}), or ", rarest(table, target, seen)) : "",
      found.size()));
}

Numbering number_users(const CsvTable& table, std::size_t user) {
  Numbering number;
  for (std::size_t r = 0; r < table.rows(); ++r)
    number.emplace(table.text(r, user), static_cast<std::int32_t>(number.size()));
  return number;
}

}  // namespace trilemma
