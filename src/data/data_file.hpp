#pragma once
// Shared by all readers of data files: opening regular files, and naming the file in every error.

#include <new>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/file_format.hpp"
#include "data/dataset.hpp"

namespace trilemma {

/// Refuses anything that is not a regular file, with the reason: missing, a folder, a pipe or a
/// device (which would block or never end), a loop of links.
void require_data_file(const std::string& file);

/// Returns the content of a file, decompressed if it is packed with gzip. Refuses a file that is
/// not regular, cannot be read, is empty, or has a known format that is not among `expected`;
/// `wanted` describes the expected content in the message.
std::string data_file_content(const std::string& file, std::initializer_list<FileFormat> expected,
                              const char* wanted);

/// Throws the UserError for a reader of `file` that ran out of memory.
[[noreturn]] void refuse_for_memory(const std::string& file);

/// Returns read(); if memory runs out, the error names `file`.
template <class Read>
auto reading(const std::string& file, Read&& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    refuse_for_memory(file);
  } catch (const std::length_error&) {
    refuse_for_memory(file);
  }
}

/// Returns the paths of `names` under `folder`. Refuses a file that is listed twice, under whatever
/// name: its records would count twice, and a claim protects only one of the copies.
std::vector<std::string> data_paths(const std::string& folder,
                                    const std::vector<std::string>& names);

/// Returns `name` under `folder`, or `name` itself if it is absolute.
std::string path_in(const std::string& folder, const std::string& name);

/// Returns whether an entry of Source::files() is the name of a folder, which ends with /.
bool names_folder(std::string_view entry);

/// Returns whether `path` is a folder or a symbolic link to one.
bool is_folder(const std::string& path);

/// Returns the names of all regular files below a folder, relative to it and in ascending order,
/// without hidden files and folders (names that begin with a dot). Refuses a folder that is missing
/// or cannot be read.
std::vector<std::string> files_below(const std::string& folder);

/// Returns the path of one file or folder under `folder`, or `name` itself if it is absolute.
/// Refuses a relative name of nothing.
std::string data_path(const std::string& folder, const std::string& name);

/// Adds a note on how many nonzero numbers of a file became 0 as `real`.
void describe_lost(TrainTest& data, const std::string& file, std::size_t lost);

/// Returns a remark if a file is both a training file and a test file, otherwise an empty text.
std::string overlap_remark(const std::vector<std::string>& train,
                           const std::vector<std::string>& test);

}  // namespace trilemma
