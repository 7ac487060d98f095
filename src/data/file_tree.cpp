#include "data/file_tree.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "data/data_file.hpp"
#include "data/zip.hpp"

namespace trilemma {
namespace {

class Folder final : public FileTree {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {}
  std::vector<std::string> names(const std::string& under) const override {
    auto found = files_below(path_in(path_, under));
    for (auto& name : found) name.insert(0, under);
    return found;
  }
  std::string content(const std::string& name, std::size_t most) const override {
    return input_content(path_in(path_, name), most, data_file_words);
  }
  std::string place(const std::string& name) const override { return path_in(path_, shown(name)); }

 private:
  std::string path_;
};

class Archive final : public FileTree {
 public:
  Archive(const std::string& path, const std::string& landmark) : path_(path), archive_(path, "") {
    if (landmark.empty()) return;
    const auto& all = archive_.names();
    const auto is_landmark = [&](const std::string& name) {
      return name == landmark || name.ends_with("/" + landmark);
    };
    const auto found = std::ranges::find_if(all, is_landmark);
    require(found != all.end(), "{}: no {} in the archive; is it another one?", path, landmark);
    top_ = found->substr(0, found->size() - landmark.size());
  }
  std::vector<std::string> names(const std::string& under) const override {
    const auto& all = archive_.names();
    const std::string first = top_ + under;
    std::vector<std::string> found;
    for (auto at = std::ranges::lower_bound(all, first); at != all.end() && at->starts_with(first);
         ++at)
      if (!at->ends_with('/')) found.push_back(at->substr(top_.size()));
    return found;
  }
  std::string content(const std::string& name, std::size_t most) const override {
    return archive_.content(top_ + name, most);
  }
  std::string place(const std::string& name) const override {
    return path_ + ":" + shown(top_ + name);
  }

 private:
  std::string path_;
  ZipArchive archive_;
  std::string top_;  ///< folder of the landmark, with /
};

}  // namespace

bool is_plain_name(std::string_view name) {
  constexpr std::size_t longest = 255;  // of a file name on Linux
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '/' && c != '\\'; };
  return !name.empty() && name.size() <= longest && !name.starts_with('.') &&
         std::ranges::all_of(name, is_plain);
}

bool names_archive(std::string_view name) { return name.ends_with(".zip"); }

std::string tree_file(const std::string& name) {
  return names_archive(name) || names_folder(name) ? name : name + "/";
}

std::unique_ptr<FileTree> open_tree(const std::string& path, const std::string& landmark) {
  if (names_archive(path)) return std::make_unique<Archive>(path, landmark);
  auto folder = std::make_unique<Folder>(path);
  require(is_folder(path), "{}: {}; name the folder itself, or its ZIP archive", path,
          is_file(path) ? "a file, not a folder" : "no such folder");
  require(landmark.empty() || is_file(path_in(path, landmark)),
          "{}: no {} in the folder; is it another one?", path, landmark);
  return folder;
}

}  // namespace trilemma
