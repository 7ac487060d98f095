#pragma once
// Durable files, which survive a crash of the program or of the machine.

#include <string>

namespace trilemma {

/// Flushes a file, or the list of names of a folder, to the disk, as far as its file system can:
/// some cannot synchronise folders or pipes, which is not an error. Throws WriteError.
void synchronise(const std::string& path);
/// Flushes the open file `file`, called `path` in the error.
void synchronise(int file, const std::string& path);

/// Renames a finished file to its final name durably: flushes the file, renames it, flushes the
/// folder.
void publish(const std::string& temporary, const std::string& path);

/// Returns whether a writer holds the file's lock.
bool is_locked(const std::string& path);

}  // namespace trilemma
