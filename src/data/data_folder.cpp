#include "data/data_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "data/data_file.hpp"

namespace trilemma {
namespace {

// A mistyped index with one digit too many would take all memory for the model.
constexpr std::size_t most_found = 100'000'000;

std::string open_keys(const Source& source) { return "data." + join(source.open(), " and data."); }

// Returns the settings that were read for a source, as the key of the cache.
std::string question(const Settings& data) {
  std::string lines;
  for (const auto& record : data.records())
    if (is_in_section(record.path, "data"))
      lines += fmt::format("{} = {}\n", record.path, record.value);
  return lines;
}

void require_files(const Source& source, const Settings& data, const std::string& folder,
                   const std::string& what) {
  for (const auto& name : source.files()) {
    const std::string file = path_in(folder, name);
    std::error_code error;
    require(std::filesystem::status(file, error).type() != std::filesystem::file_type::not_found,
            "{}: [data]: there is no {}, from which {} would follow; `scripts/get-data` downloads "
            "the known files; paths are relative to the data directory {} (--data-dir)",
            data.file(), file, what, folder);
  }
}

}  // namespace

void refuse_open(const Source& source, const Settings& data) {
  require(source.open().empty(),
          "{}: {}: not set, so it follows from the data, which are not read here; set the value",
          data.file(), open_keys(source));
}

void DataFolder::settle(Source& source, Settings& data) {
  const auto keys = source.open();
  if (keys.empty()) return;
  const std::string asked = question(data);
  auto at = found_.find(asked);
  if (at == found_.end()) {
    require_files(source, data, path_, open_keys(source));
    at = found_.emplace(asked, source.find(path_)).first;
  }
  const FileShape& found = at->second;
  require(
      found.features <= most_found,
      "{}: data.features: not set, and the files have {} features, more than are taken unasked; set "
      "it if they are meant",
      data.file(), found.features);
  for (const auto& key : keys) {
    const bool is_classes = key == "classes";
    require(!is_classes || found.classes != 1,
            "{}: data.classes is not set, and all records have one label; is it another file?",
            data_path(path_, source.files().front()));
    data.resolve(key, is_classes ? long{found.classes} : static_cast<long>(found.features));
  }
  source.settle(found);
}

std::size_t DataFolder::users(const Source& source, const Settings& data) {
  const std::string asked = question(data);
  auto at = users_.find(asked);
  if (at == users_.end()) {
    require_files(source, data, path_, "the number of clients");
    const auto user = source.users(path_);
    const std::size_t count =
        user.empty() ? 0 : std::size_t{1} + *std::max_element(user.begin(), user.end());
    at = users_.emplace(asked, count).first;
  }
  return at->second;
}

const RecordFacts& DataFolder::facts(const std::string& settings,
                                     const std::function<RecordFacts()>& find) {
  auto at = facts_.find(settings);
  if (at == facts_.end()) at = facts_.emplace(settings, find()).first;
  return at->second;
}

}  // namespace trilemma
