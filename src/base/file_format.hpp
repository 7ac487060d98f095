#pragma once
// Recognition of file formats by their first bytes, so that errors can name the actual format.

#include <initializer_list>
#include <string>
#include <string_view>

namespace trilemma {

/// Format of a file, as recognised by its first bytes.
enum class FileFormat {
  unknown,
  empty,
  numpy,      ///< .npy
  numpy_zip,  ///< .npz
  hdf5,
  gzip,
  zip,
  pytorch,      ///< a ZIP archive with data.pkl
  spreadsheet,  ///< .xlsx, .ods, .xls
  idx,
  parquet,
  arrow,
  pickle,
  packed,  ///< bzip2, xz, zstd, 7z
  sqlite,
  matlab,
  image,  ///< PNG, JPEG, GIF
  pdf,
  html,
  git_lfs,  ///< a pointer to a file stored elsewhere
  utf16,
};

/// Number of bytes that format_of() inspects.
inline constexpr std::size_t format_bytes = 512;

/// Returns the format of a file that begins with the bytes `begin`. `idx` has a weak signature (two
/// zero bytes), so it is tested last.
FileFormat format_of(std::string_view begin);

/// Throws UserError if `begin`, the first bytes of the file `path`, has the signature of a format
/// that is not among `expected`, or is empty and `expected` lacks FileFormat::empty. The message
/// names the format and a remedy: `remedy`, or by default that for data files. Bytes without a
/// known signature are accepted. `wanted` names the expected content, such as "CSV".
void refuse_foreign(const std::string& path, std::string_view begin,
                    std::initializer_list<FileFormat> expected, const char* wanted,
                    const char* remedy = nullptr);

}  // namespace trilemma
