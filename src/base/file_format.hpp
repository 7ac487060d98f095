#pragma once
// Recognises files by their first bytes, so that a file of another format than expected is named as
// what it is.

#include <initializer_list>
#include <string>
#include <string_view>

namespace trilemma {

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
  git_lfs,  ///< a pointer in the place of a file
  utf16,
};

/// The bytes that format_of() looks at.
inline constexpr std::size_t format_bytes = 512;

/// Returns the format of a file that begins so. `idx` has a weak signature (two zero bytes), so it
/// comes after all others.
FileFormat format_of(std::string_view begin);

/// Refuses a file that begins as one of a format that is not among `expected`: the sentence names
/// the format and how such a file is used. What has no known signature passes. `wanted` says what
/// is read here, as "CSV"; `remedy` replaces the usual ones, which are those of data files.
void refuse_foreign(const std::string& path, std::string_view begin,
                    std::initializer_list<FileFormat> expected, const char* wanted,
                    const char* remedy = nullptr);

}  // namespace trilemma
