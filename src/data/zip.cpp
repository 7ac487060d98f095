#include "data/zip.hpp"

#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "core/check.hpp"

namespace trilemma {
namespace {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Entry = std::unique_ptr<zip_file_t, Discard>;

Archive open_archive(const std::string& file) {
  require(std::filesystem::is_regular_file(file),
          "{}: no such data file; `scripts/get-data` downloads the known ones, or set --data-dir",
          file);
  int code = 0;
  Archive archive(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw UserError(
      fmt::format("{}: cannot be opened as a ZIP archive ({}); fetch it again", file, reason));
}

bool is_hidden(const std::string& name) {
  const std::filesystem::path path(name);
  return std::any_of(path.begin(), path.end(), [](const auto& part) {
    return part == "__MACOSX" || part.string().starts_with(".");
  });
}

// Reading on to the end makes libzip check the sum.
std::string content_of(const std::string& file, zip_t* archive, zip_uint64_t index,
                       const std::string& name) {
  const Entry entry(zip_fopen_index(archive, index, 0));
  require(entry != nullptr, "{}: {} cannot be read ({}); fetch the archive again", file, name,
          zip_strerror(archive));
  std::string content;
  std::string chunk(std::size_t{1} << 20U, '\0');
  for (;;) {
    const zip_int64_t got = zip_fread(entry.get(), chunk.data(), chunk.size());
    require(got >= 0, "{}: {} is damaged ({}); fetch the archive again", file, name,
            zip_file_strerror(entry.get()));
    if (got == 0) return content;
    content.append(chunk, 0, static_cast<std::size_t>(got));
  }
}

}  // namespace

std::vector<ZipEntry> read_zip(const std::string& file, const std::string& suffix) {
  const Archive archive = open_archive(file);
  std::vector<ZipEntry> found;
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(archive.get(), index, 0);
    require(name != nullptr, "{}: entry {} has no readable name; fetch it again", file, i);
    if (!std::string_view(name).ends_with(suffix) || is_hidden(name)) continue;
    found.push_back({name, content_of(file, archive.get(), index, name)});
  }
  require(!found.empty(), "{}: no file *{} in the archive; is it another one?", file, suffix);
  std::sort(found.begin(), found.end(),
            [](const ZipEntry& a, const ZipEntry& b) { return a.name < b.name; });
  return found;
}

}  // namespace trilemma
