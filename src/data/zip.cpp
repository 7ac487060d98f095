#include "data/zip.hpp"

#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/text.hpp"
#include "data/data_file.hpp"
#include "machine/limits.hpp"

namespace trilemma {
namespace {

struct Close {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Entry = std::unique_ptr<zip_file_t, Close>;

zip_t* open_archive(const std::string& file) {
  require_data_file(file);
  int code = 0;
  zip_t* archive = zip_open(file.c_str(), ZIP_RDONLY, &code);
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

// Returns the size stated in the directory of the archive. Content that expands to more is damaged,
// or made to fill the memory.
std::size_t stated_size(const std::string& file, zip_t* archive, zip_uint64_t index,
                        const std::string& name, std::size_t most) {
  zip_stat_t stat{};
  require(zip_stat_index(archive, index, 0, &stat) == 0 && (stat.valid & ZIP_STAT_SIZE) != 0,
          "{}: {} has no size in the archive; fetch it again", file, name);
  constexpr std::uint64_t always_inflated = std::uint64_t{64} << 20U, most_ratio = 200;
  const bool is_bomb = (stat.valid & ZIP_STAT_COMP_SIZE) != 0 && stat.size > always_inflated &&
                       stat.size / most_ratio > stat.comp_size;
  require(!is_bomb,
          "{}: {} inflates to {} bytes, more than {} times its size in the archive, as no data do; "
          "unpack it if it is meant",
          file, name, stat.size, most_ratio);
  require(stat.size <= most, "{}: {} has {} bytes, and at most {} are read of one file; split it",
          file, name, stat.size, most);
  return stat.size;
}

// The reasons that another copy of the archive does not change have a cure of their own.
[[noreturn]] void refuse_entry(const std::string& file, zip_t* archive, const std::string& name) {
  const int code = zip_error_code_zip(zip_get_error(archive));
  const char* cure = "fetch the archive again";
  if (code == ZIP_ER_COMPNOTSUPP)
    cure = "pack the archive again with deflate, as zip and numpy.savez_compressed do";
  if (code == ZIP_ER_NOPASSWD || code == ZIP_ER_ENCRNOTSUPP)
    cure = "it is encrypted: unpack it, or pack it again without a password";
  throw UserError(
      fmt::format("{}: {} cannot be read ({}); {}", file, name, zip_strerror(archive), cure));
}

// Reading up to the end makes libzip verify the checksum.
std::string content_of(const std::string& file, zip_t* archive, zip_uint64_t index,
                       const std::string& name, std::size_t most) {
  const std::size_t stated = stated_size(file, archive, index, name, most);
  const Entry entry(zip_fopen_index(archive, index, 0));
  if (entry == nullptr) refuse_entry(file, archive, name);
  require_memory(fmt::format("{}: {}", file, name), static_cast<double>(stated),
                 "split it, or take fewer records");
  std::string content;
  content.reserve(stated);
  std::string chunk(std::size_t{1} << 18U, '\0');
  for (;;) {
    const zip_int64_t got = zip_fread(entry.get(), chunk.data(), chunk.size());
    require(got >= 0, "{}: {} is damaged ({}); fetch the archive again", file, name,
            zip_file_strerror(entry.get()));
    require(content.size() + static_cast<std::size_t>(got) <= stated,
            "{}: {} is longer than the {} bytes that the archive states; fetch the archive again",
            file, name, stated);
    if (got == 0) break;
    content.append(chunk, 0, static_cast<std::size_t>(got));
  }
  require(content.size() == stated,
          "{}: {} has {} of the {} bytes that the archive states; fetch the archive again", file,
          name, content.size(), stated);
  return content;
}

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }

ZipArchive::ZipArchive(const std::string& file, const std::string& suffix)
    : file_(file), archive_(open_archive(file)) {
  std::vector<std::pair<std::string, std::uint64_t>> found;
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(archive_.get(), index, 0);
    require(name != nullptr, "{}: entry {} has no readable name; fetch it again", file, i);
    if (std::string_view(name).ends_with(suffix) && !is_hidden(name))
      found.emplace_back(name, index);
  }
  require(!found.empty(), "{}: no file *{} in the archive; is it another one?", file, suffix);
  std::sort(found.begin(), found.end());
  for (const auto& [name, index] : found) {
    require(names_.empty() || names_.back() != name,
            "{}: {} is in the archive twice: its records would count twice; fetch it again", file,
            shown(name));
    names_.push_back(name);
    index_.push_back(index);
  }
}

std::string ZipArchive::content(const std::string& name, std::size_t most) const {
  const auto at = std::lower_bound(names_.begin(), names_.end(), name);
  require(at != names_.end() && *at == name, "{}: no {} in the archive", file_, shown(name));
  const std::uint64_t index = index_[static_cast<std::size_t>(at - names_.begin())];
  return content_of(file_, archive_.get(), index, shown(name), most);
}

void ZipArchive::each(std::size_t most, const std::function<void(const ZipEntry&)>& visit) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string name = shown(names_[i]);
    visit({names_[i], content_of(file_, archive_.get(), index_[i], name, most)});
  }
}

}  // namespace trilemma
