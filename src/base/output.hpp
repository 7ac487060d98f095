#pragma once
// The one place where files are opened for writing; HDF5 files are opened in h5 once a WriteLock is
// held, or by h5::File::create_private().

#include <span>
#include <string>
#include <string_view>

#include "base/write_error.hpp"

namespace trilemma {

/// A new file. Where something exists under its name it is not created, so that nothing is written
/// through a symbolic link or into a pipe. It is removed with the object unless it was closed.
class OutputFile {
 public:
  /// Throws WriteError where the file cannot be created.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends bytes. Throws WriteError.
  void write(std::span<const std::byte> bytes);
  /// Brings the content to the disk and leaves the file there. Throws WriteError.
  void close();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_ = -1;
};

/// Replaces what is called `path` by a file with this content, or leaves it as it was: the content
/// is written to a new temporary file in the same folder, brought to the disk and renamed. Creates
/// the folder. A symbolic link or a pipe of that name is replaced itself. Throws WriteError.
void write_file(const std::string& path, std::string_view content);

/// Disk space that is held, as a file without a name, until it is needed to write why a run failed.
/// Holds nothing where the file system has no room for it.
class SpaceReserve {
 public:
  SpaceReserve() = default;
  /// Reserves `bytes` on the disk of the file `path`.
  SpaceReserve(const std::string& path, std::size_t bytes);
  ~SpaceReserve() { release(); }
  SpaceReserve(SpaceReserve&& other) noexcept;
  SpaceReserve& operator=(SpaceReserve&& other) noexcept;

  /// Gives the space back to the file system.
  void release();

 private:
  int file_ = -1;
};

}  // namespace trilemma
