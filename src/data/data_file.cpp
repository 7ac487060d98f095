#include "data/data_file.hpp"

#include <filesystem>
#include <fstream>

#include "core/text.hpp"

namespace trilemma {

namespace fs = std::filesystem;

namespace {

// True if both are there and the same file, under whatever names.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code missing;
  return one == other || fs::equivalent(one, other, missing);
}

}  // namespace

void require_data_file(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  require(status.type() != fs::file_type::not_found,
          "{}: no such data file; `scripts/get-data` downloads the known ones", file);
  require(fs::status_known(status), "{}: cannot be opened ({}); check the path", file,
          error.message());
  require(status.type() != fs::file_type::directory,
          "{}: a folder, not a data file; name a file in it", file);
  require(status.type() == fs::file_type::regular,
          "{}: a pipe or a device, not a data file; copy its content to a file", file);
}

std::size_t data_file_size(const std::string& file) {
  require_data_file(file);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  require(!error, "{}: cannot be read ({}); check its permissions", file, error.message());
  return size;
}

std::string data_file_content(const std::string& file) {
  require_data_file(file);
  std::ifstream in(file, std::ios::binary);
  require(in.is_open(), "{}: cannot be read; check its permissions", file);
  constexpr std::size_t piece = std::size_t{1} << 20U;
  std::string content;
  std::size_t size = 0;
  do {
    content.resize(size + piece);
    in.read(content.data() + size, piece);
    size += static_cast<std::size_t>(in.gcount());
  } while (in);
  require(!in.bad(), "{}: cannot be read; check its permissions", file);
  content.resize(size);
  require(size > 0, "{}: the file is empty; fetch it again", file);
  return content;
}

void refuse_for_memory(const std::string& file) {
  throw UserError(fmt::format(
      "{}: not enough memory for its records; take fewer, or a machine with more", file));
}

std::string path_in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
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
