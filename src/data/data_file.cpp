#include "data/data_file.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "data/data_stream.hpp"

namespace trilemma {

namespace fs = std::filesystem;

namespace {

// Returns whether both exist and are the same file, under whatever names.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code missing;
  return one == other || fs::equivalent(one, other, missing);
}

}  // namespace

void require_data_file(const std::string& file) { const InputFile opened(file, data_file_words); }

std::string data_file_content(const std::string& file, std::initializer_list<FileFormat> expected,
                              const char* wanted) {
  DataStream stream(file);
  stream.refuse_others(expected, wanted);
  constexpr std::size_t piece = std::size_t{1} << 20U;
  std::string content;
  for (std::size_t size = 0;;) {
    content.resize(size + piece);
    const std::size_t got = stream.read(content.data() + size, piece);
    size += got;
    if (got > 0) continue;
    content.resize(size);
    return content;
  }
}

void refuse_for_memory(const std::string& file) {
  throw UserError(fmt::format(
      "{}: not enough memory for its records; take fewer, or a machine with more", file));
}

std::string path_in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

bool names_folder(std::string_view entry) { return entry.ends_with('/'); }

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink,
                                      error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with('.')) {
      at.disable_recursion_pending();
      continue;
    }
    std::error_code ignored;
    if (at->is_regular_file(ignored))
      found.push_back(at->path().lexically_relative(folder).string());
  }
  require(!error, "{}: the folder cannot be read ({}); check its name and its permissions", folder,
          error.message());
  std::ranges::sort(found);
  return found;
}

std::string data_path(const std::string& folder, const std::string& name) {
  require(name.find('\0') == std::string::npos, "{}: not the name of a file", shown(name));
  const std::string path = path_in(folder, name);
  std::error_code ignored;
  const bool is_gone = fs::status(path, ignored).type() == fs::file_type::not_found;
  require(fs::path(name).is_absolute() || !is_gone,
          "{}: no such data file; `scripts/get-data` downloads the known ones; paths are relative "
          "to the data directory {} (--data-dir)",
          path, folder);
  return path;
}

std::vector<std::string> data_paths(const std::string& folder,
                                    const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const auto& name : names) {
    const std::string path = data_path(folder, name);
    for (const auto& other : found)
      require(!is_same_file(path, other),
              "{}: listed twice, or the same file as {}: its records would count twice; name every "
              "file once",
              path, other);
    found.push_back(path);
  }
  return found;
}

void describe_lost(TrainTest& data, const std::string& file, std::size_t lost) {
  if (lost == 0) return;
  data.notes.push_back(fmt::format("{}: {} too small for {} bits became 0", file,
                                   counted(lost, "number"), 8 * sizeof(real)));
}

std::string overlap_remark(const std::vector<std::string>& train,
                           const std::vector<std::string>& test) {
  for (const auto& file : test)
    for (const auto& other : train)
      if (is_same_file(file, other))
        return fmt::format(
            "{} is a training file and a test file: scores are of records trained on", file);
  return {};
}

}  // namespace trilemma
