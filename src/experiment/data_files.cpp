#include "experiment/data_files.hpp"

#include <fmt/format.h>

#include <set>
#include <span>

#include "base/input_file.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/data_file.hpp"

namespace trilemma {
namespace {

constexpr std::string_view between = "  ";  // separates checksum and name
constexpr const char* no_sum = "not-recorded";

std::string line_of(std::string_view sum, std::string_view name) {
  return fmt::format("{}{}{}\n", sum, between, name);
}

// Returns the checksum of the lines "SHA-256  name" of all files of a folder.
std::string folder_sum(const std::string& folder) {
  const auto names = files_below(folder);
  const std::string lines = data_file_sums(names, folder);
  return sha256(std::as_bytes(std::span(lines)));
}

std::string sum_in(const std::string& folder, const std::string& name) {
  const std::string path = path_in(folder, name);
  if (names_folder(name)) return folder_sum(path);
  require_data_file(path);
  return file_sha256(path);
}

// Adds the file to `changed` if its checksums differ.
void compare(const RecordedSums& recorded, const std::string& name, const std::string& now,
             std::vector<ChangedFile>& changed) {
  const auto there = recorded.find(name);
  if (there == recorded.end())
    changed.push_back({name, "", now});
  else if (there->second != now && there->second != no_sum && now != no_sum)
    changed.push_back({name, there->second, now});
}

}  // namespace

std::string data_file_sums(const std::vector<std::string>& names, const std::string& folder) {
  std::string lines;
  for (const auto& name : names) lines += line_of(sum_in(folder, name), name);
  return lines;
}

std::string names_alone(const std::vector<std::string>& names) {
  std::string lines;
  for (const auto& name : names) lines += line_of(no_sum, name);
  return lines;
}

std::string named_file_sums(const std::vector<NamedFile>& files) {
  std::string lines;
  for (const auto& file : files) lines += line_of(file.sum(), file.path());
  return lines;
}

RecordedSums sums_of(const std::string& data_files) {
  RecordedSums sums;
  for (std::size_t at = 0; at < data_files.size();) {
    const std::size_t end = std::min(data_files.find('\n', at), data_files.size());
    const std::string line = data_files.substr(at, end - at);
    const std::size_t gap = line.find(between);
    if (gap != std::string::npos) sums[line.substr(gap + between.size())] = line.substr(0, gap);
    at = end + 1;
  }
  return sums;
}

std::string in_words(const std::vector<ChangedFile>& files) {
  std::vector<std::string> words;
  for (const auto& file : files)
    words.push_back(fmt::format("{}: SHA-256 {} there, {} here", file.name,
                                sum_begin(file.recorded), sum_begin(file.now)));
  return join(words, "; ");
}

std::vector<ChangedFile> changed_between(const std::string& recorded, const std::string& now) {
  const RecordedSums there = sums_of(recorded);
  std::vector<ChangedFile> changed;
  for (const auto& [name, sum] : sums_of(now)) compare(there, name, sum, changed);
  return changed;
}

std::vector<ChangedFile> DataFiles::changed(const std::vector<std::string>& names,
                                            const std::string& recorded) {
  const RecordedSums there = sums_of(recorded);
  std::vector<ChangedFile> found;
  for (const auto& name : std::set<std::string>(names.begin(), names.end())) {
    const auto known = there.find(name);
    if (known != there.end() && known->second == no_sum) continue;
    const std::string path = path_in(folder_, name);
    if (names_folder(name) ? !is_folder(path) : !is_file(path)) continue;
    std::string& sum = sums_[name];
    if (sum.empty()) sum = sum_in(folder_, name);
    compare(there, name, sum, found);
  }
  return found;
}

}  // namespace trilemma
