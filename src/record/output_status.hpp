#pragma once
// What stands where something is to be written.

#include <string>

#include "h5/h5.hpp"

namespace trilemma {

enum class OutputStatus {
  nothing,     ///< or an empty file
  run,         ///< a run file, whole or not
  audit,       ///< an audit file
  network,     ///< a measured network
  unreadable,  ///< begins like an HDF5 file, but cannot be opened
  other
};
/// Reads nothing but the schema, and that in a process of its own. A symbolic link is something
/// else, wherever it leads.
OutputStatus output_status(const std::string& path, h5::Reading how = h5::Reading::locked);

/// Refuses a symbolic link as the place of an output.
void refuse_link(const std::string& path);

/// Refuses `path` unless nothing is there, or `kind` and `overwrite` allows to replace it. `what`
/// names the kind ("a run file").
void check_replaceable(const std::string& path, OutputStatus kind, const char* what,
                       bool overwrite);

/// Refuses the place of an unfinished run file where something else stands; a torn one makes room.
void check_partial(const std::string& partial);

}  // namespace trilemma
