#pragma once
// What the files of the HDF5 layer share.

#include "h5/h5.hpp"

namespace trilemma::h5 {

/// Keeps HDF5 from printing, and from cleaning up at exit.
void quiet();
/// Why HDF5 could not do the last thing asked for: what the system said, or its innermost reason.
std::string reason();
/// Access to a file without HDF5's own lock.
Handle unlocked_access();
/// How values travel between a data set and memory: through a small buffer, since HDF5 clears the
/// whole of it, by default a megabyte, for every text that is read or written.
Handle transfer(hid_t dataset);
/// The type of every text: variable length, UTF-8.
Handle text_type();

}  // namespace trilemma::h5
