#pragma once
// Files that survive a crash of the program or of the machine.

#include <string>

namespace trilemma {

/// Brings a file, or a folder's list of names, safely to the disk, as far as its file system can:
/// some cannot synchronise folders or pipes, which is no error. Throws WriteError.
void synchronise(const std::string& path);
/// The same for the open file `file`, called `path` in the error.
void synchronise(int file, const std::string& path);

/// Gives a finished file its name for good: file to the disk, rename, folder to the disk.
void publish(const std::string& temporary, const std::string& path);

/// True while a writer holds the file.
bool is_locked(const std::string& path);

}  // namespace trilemma
