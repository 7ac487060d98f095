#pragma once
// What all readers of data files do alike: open what is a file, and name it whatever goes wrong.

#include <new>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/file_format.hpp"
#include "data/dataset.hpp"

namespace trilemma {

/// Refuses what is not a regular file, with the reason: missing, a folder, a pipe or a device
/// (which would block or never end), a circle of links.
void require_data_file(const std::string& file);

/// Bytes of a regular file.
std::size_t data_file_size(const std::string& file);

/// All bytes, inflated where gzip packs them. Refuses what is not a regular file, cannot be read,
/// is empty, or is of a known format that is not among `expected`; `wanted` says what is read.
std::string data_file_content(const std::string& file, std::initializer_list<FileFormat> expected,
                              const char* wanted);

/// The sentence for a reader of `file` that has run out of memory.
[[noreturn]] void refuse_for_memory(const std::string& file);

/// Runs a reader of `file`: where memory runs out the sentence names the file.
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

/// The files under `folder`. Refuses one that is listed twice, under whatever name: its records
/// would count twice, and a claim protects one of the copies only.
std::vector<std::string> data_paths(const std::string& folder,
                                    const std::vector<std::string>& names);

/// A name under `folder`; an absolute one is a place of its own.
std::string path_in(const std::string& folder, const std::string& name);

/// One file under `folder`, or anywhere by an absolute name. Refuses a relative name of no file.
std::string data_path(const std::string& folder, const std::string& name);

/// Notes how many numbers of a file have become 0, since they are nearer to it than a `real` can
/// be.
void describe_lost(TrainTest& data, const std::string& file, std::size_t lost);

/// A remark where a file is among the training files and the test files too, else empty.
std::string overlap_remark(const std::vector<std::string>& train,
                           const std::vector<std::string>& test);

}  // namespace trilemma
