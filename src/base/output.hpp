#pragma once
// The one place where files are opened for writing; HDF5 files are opened in h5 once a WriteLock is
// held, or by h5::File::create_private().

#include <span>
#include <string>
#include <string_view>

#include "base/write_error.hpp"

namespace trilemma {

/// A new file. It is not created if its name exists, so that nothing is written through a symbolic
/// link or into a pipe. The file is removed on destruction unless it was closed.
class OutputFile {
 public:
  /// Throws WriteError if the file cannot be created.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends bytes. Throws WriteError.
  void write(std::span<const std::byte> bytes);
  /// Flushes the content to the disk and keeps the file. Throws WriteError.
  void close();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int file_ = -1;
};

/// Replaces `path` by a file with this content, or leaves it unchanged: the content is written to a
/// new temporary file in the same folder, flushed to the disk and renamed. Creates the folder. A
/// symbolic link or a pipe with that name is itself replaced. Throws WriteError.
void write_file(const std::string& path, std::string_view content);

/// Disk space reserved, as an unnamed file, until it is needed to write why a run failed. Reserves
/// nothing if the file system has no room.
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
