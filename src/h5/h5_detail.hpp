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
/// The type of every text: variable length, UTF-8.
Handle text_type();

}  // namespace trilemma::h5
