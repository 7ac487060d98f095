#include "base/file_format.hpp"

#include <algorithm>
#include <cctype>

#include "base/check.hpp"

namespace trilemma {
namespace {

using namespace std::literals;

struct Signature {
  FileFormat format;
  std::string_view bytes;
};

constexpr Signature signatures[] = {
    {FileFormat::numpy, "\x93NUMPY"sv},
    {FileFormat::hdf5, "\x89HDF\r\n\x1a\n"sv},
    {FileFormat::gzip, "\x1f\x8b"sv},
    {FileFormat::parquet, "PAR1"sv},
    {FileFormat::arrow, "ARROW1"sv},
    {FileFormat::arrow, "FEA1"sv},
    {FileFormat::pickle, "\x80\x02"sv},
    {FileFormat::pickle, "\x80\x03"sv},
    {FileFormat::pickle, "\x80\x04"sv},
    {FileFormat::pickle, "\x80\x05"sv},
    {FileFormat::packed, "BZh"sv},
    {FileFormat::packed, "\xFD\x37zXZ\x00"sv},
    {FileFormat::packed, "\x28\xB5\x2F\xFD"sv},
    {FileFormat::packed, "7z\xBC\xAF\x27\x1C"sv},
    {FileFormat::sqlite, "SQLite format 3\x00"sv},
    {FileFormat::matlab, "MATLAB 5.0 MAT-file"sv},
    {FileFormat::image, "\x89PNG\r\n\x1a\n"sv},
    {FileFormat::image, "\xFF\xD8\xFF"sv},
    {FileFormat::image, "GIF8"sv},
    {FileFormat::pdf, "%PDF-"sv},
    {FileFormat::spreadsheet, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv},
    {FileFormat::git_lfs, "version https://git-lfs.github.com"sv},
    {FileFormat::utf16, "\xFF\xFE"sv},
    {FileFormat::utf16, "\xFE\xFF"sv},
};

struct Remedy {
  FileFormat format;
  const char* name;
  const char* remedy;
};

constexpr Remedy remedies[] = {
    {FileFormat::empty, "an empty file", "fetch it again"},
    {FileFormat::numpy, "a NumPy array (.npy)", "set data.source = \"arrays\""},
    {FileFormat::numpy_zip, "an archive of NumPy arrays (.npz)", "set data.source = \"arrays\""},
    {FileFormat::hdf5, "an HDF5 file", "set data.source = \"arrays\" if it holds arrays"},
    {FileFormat::gzip, "a gzip file", "unpack it with gunzip"},
    {FileFormat::zip, "a ZIP archive", "unpack it"},
    {FileFormat::pytorch, "a PyTorch checkpoint",
     "save its tensors with numpy.savez and set data.source = \"arrays\""},
    {FileFormat::spreadsheet, "a spreadsheet", "export it as CSV and set data.source = \"csv\""},
    {FileFormat::idx, "an IDX file", "set data.source = \"idx\""},
    {FileFormat::parquet, "a Parquet file",
     "write it as CSV, as with pandas' to_csv, and set data.source = \"csv\""},
    {FileFormat::arrow, "an Arrow or Feather file",
     "write it as CSV, as with pandas' to_csv, and set data.source = \"csv\""},
    {FileFormat::pickle, "a Python pickle",
     "pickles can run any code and are not read: save its arrays with numpy.savez and set data.source = \"arrays\""},
    {FileFormat::packed, "a packed file (bzip2, xz, zstd or 7z)",
     "unpack it, or pack it with gzip"},
    {FileFormat::sqlite, "an SQLite database",
     "export the table as CSV and set data.source = \"csv\""},
    {FileFormat::matlab, "a MATLAB file",
     "save its arrays with numpy.savez and set data.source = \"arrays\""},
    {FileFormat::image, "a single image",
     "put all images into one array (numpy.savez) and set data.source = \"arrays\""},
    {FileFormat::pdf, "a PDF document", "name another file"},
    {FileFormat::html, "a web page", "the download has failed; fetch the file again"},
    {FileFormat::git_lfs, "a pointer of Git LFS", "fetch the file itself with `git lfs pull`"},
    {FileFormat::utf16, "text in UTF-16", "convert it to UTF-8, as by `iconv -f UTF-16 -t UTF-8`"},
};

// Decides by the name of the first file in the archive, which is within the first 512 bytes.
FileFormat format_of_archive(std::string_view begin) {
  constexpr std::size_t length_at = 26, name_at = 30;
  if (begin.size() < name_at) return FileFormat::zip;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(begin[i]); };
  const std::size_t length = byte(length_at) + 256U * byte(length_at + 1);
  const std::string_view name = begin.substr(name_at, length);
  const std::string_view after = begin.substr(std::min(begin.size(), name_at + length));
  if (name.ends_with(".npy")) return FileFormat::numpy_zip;
  if (name.ends_with("data.pkl")) return FileFormat::pytorch;
  if (name == "[Content_Types].xml" || name.starts_with("xl/") || name.starts_with("_rels/"))
    return FileFormat::spreadsheet;
  if (name == "mimetype" && after.starts_with("application/vnd.oasis"))
    return FileFormat::spreadsheet;
  return FileFormat::zip;
}

bool is_html(std::string_view begin) {
  constexpr std::string_view starts[] = {"<!doctype html", "<html", "<head"};
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  std::string text(begin.substr(std::min(begin.size(), first)));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(std::begin(starts), std::end(starts),
                     [&](std::string_view start) { return text.starts_with(start); });
}

bool is_idx(std::string_view begin) {
  constexpr char first_type = 0x08, last_type = 0x0E, most_dimensions = 4;
  return begin.size() >= 4 && begin[0] == 0 && begin[1] == 0 && begin[2] >= first_type &&
         begin[2] <= last_type && begin[3] >= 1 && begin[3] <= most_dimensions;
}

}  // namespace

FileFormat format_of(std::string_view begin) {
  if (begin.empty()) return FileFormat::empty;
  for (const auto& signature : signatures)
    if (begin.starts_with(signature.bytes)) return signature.format;
  if (begin.starts_with("PK\x03\x04")) return format_of_archive(begin);
  if (is_html(begin)) return FileFormat::html;
  return is_idx(begin) ? FileFormat::idx : FileFormat::unknown;
}

void refuse_foreign(const std::string& path, std::string_view begin,
                    std::initializer_list<FileFormat> expected, const char* wanted,
                    const char* remedy) {
  const FileFormat format = format_of(begin);
  if (format == FileFormat::unknown || std::ranges::count(expected, format) > 0) return;
  const auto* known = std::ranges::find(remedies, format, &Remedy::format);
  if (format == FileFormat::empty)
    throw UserError(fmt::format("{}: the file is empty; {}", path, known->remedy));
  throw UserError(fmt::format("{}: {}, not {}; {}", path, known->name, wanted,
                              remedy != nullptr ? remedy : known->remedy));
}

}  // namespace trilemma
