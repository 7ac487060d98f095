// Settings that name files.

#include <algorithm>
#include <filesystem>

#include "base/input_file.hpp"
#include "settings/settings_document.hpp"

namespace trilemma {
namespace {

// Returns the absolute path of `name`, which is relative to `folder` if it exists there, otherwise
// to the working directory.
std::string resolved_path(const std::string& folder, const std::string& name) {
  const std::string in_folder = (std::filesystem::path(folder) / name).string();
  return std::filesystem::absolute(is_file(in_folder) ? in_folder : name).string();
}

}  // namespace

NamedFile Settings::file(std::string_view key, std::string_view help) {
  const std::string name =
      text_like(key, "", {.help = std::string(help), .type = SettingType::file});
  if (name.empty()) return {};
  const std::string path = full(key);
  for (const NamedFile& known : document_->files)
    if (known.key() == path) return known;
  const std::string place = resolved_path(folder_of(key), name);
  std::optional<std::string> recorded;
  if (document_->recorded_sums) {
    const auto found = document_->recorded_sums->find(place);
    recorded = found == document_->recorded_sums->end() ? "" : found->second;
  } else if (!is_file(place)) {
    refuse(key, "no such file; a relative path starts at the folder of the file that sets the key");
  }
  resolve(key, place);
  return document_->files.emplace_back(path, place, std::move(recorded));
}

std::string Settings::data_file(std::string_view key, std::string_view value,
                                std::string_view help) {
  return text_like(key, value, {.help = std::string(help), .type = SettingType::file});
}

std::vector<std::string> Settings::data_files(std::string_view key,
                                              const std::vector<std::string>& value,
                                              std::string_view help) {
  return texts_like(key, value, {.help = std::string(help), .type = SettingType::files});
}

const std::vector<NamedFile>& Settings::files() const { return document_->files; }

void Settings::take_recorded_sums(RecordedSums sums) { document_->recorded_sums = std::move(sums); }

}  // namespace trilemma
