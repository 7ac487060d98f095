#pragma once
// Locks for writing files. HDF5 locks a file after opening it, but truncates it before; here the
// lock is acquired first, and also works where HDF5's locks are disabled.

#include <string>

namespace trilemma {

/// The exclusive right to write to a file, which is created empty if it does not exist. The lock is
/// released on destruction, which removes a file that is still empty.
class WriteLock {
 public:
  WriteLock() = default;
  /// Waits briefly for a lock in use. Throws UserError if the lock stays in use, or if the path is
  /// a symbolic link or not a file; WriteError if it cannot be opened.
  explicit WriteLock(std::string path);
  ~WriteLock() { release(); }
  WriteLock(WriteLock&& other) noexcept;
  WriteLock& operator=(WriteLock&& other) noexcept;

  /// Renames the locked file to `path`, replacing any existing file.
  void rename(const std::string& path);
  /// Releases the lock.
  void release();

 private:
  bool try_to_lock();

  std::string path_;
  int file_ = -1;
};

}  // namespace trilemma
