#pragma once
// Status of an output path: what exists there, and whether it may be replaced.

#include <string>

#include "h5/h5.hpp"

namespace trilemma {

/// What exists at an output path.
enum class OutputStatus {
  nothing,     ///< nothing, or an empty file
  run,         ///< a run file, complete or not
  audit,       ///< an audit file
  network,     ///< a measured network
  bench,       ///< a benchmark
  unreadable,  ///< begins like an HDF5 file, but cannot be opened
  other        ///< anything else, including symbolic links
};
/// Returns what exists at `path`. Reads only the attribute `schema` of an HDF5 file, in a separate
/// process.
OutputStatus output_status(const std::string& path, h5::Reading how = h5::Reading::locked);

/// Throws UserError if `path` is a symbolic link.
void refuse_link(const std::string& path);

/// Throws UserError unless nothing exists at `path`, or a file of `kind` that `overwrite` allows to
/// replace. `what` names the kind in the message ("a run file").
void check_replaceable(const std::string& path, OutputStatus kind, const char* what,
                       bool overwrite);

/// Throws UserError if something exists at `partial`, the path of an unfinished run file, except a
/// run file or an HDF5 file that cannot be opened, which the run may replace.
void check_partial(const std::string& partial);

}  // namespace trilemma
