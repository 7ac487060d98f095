#pragma once
// Who may write a file. HDF5 locks what it has opened, but empties it before it asks for the lock;
// here the lock comes first, and is there where HDF5's are switched off.

#include <string>

namespace trilemma {

/// The right to write to a file, which is created empty where it is not there. Ends with the
/// object, which takes a file away that is still empty.
class WriteLock {
 public:
  WriteLock() = default;
  /// Waits a moment for a lock in use. Throws UserError where that is not enough, or where the path
  /// is a symbolic link or no file; WriteError where it cannot be opened.
  explicit WriteLock(std::string path);
  ~WriteLock() { release(); }
  WriteLock(WriteLock&& other) noexcept;
  WriteLock& operator=(WriteLock&& other) noexcept;

  /// Gives the locked file another name, in the place of what is there.
  void rename(const std::string& path);
  void release();

 private:
  bool try_to_lock();

  std::string path_;
  int file_ = -1;
};

}  // namespace trilemma
