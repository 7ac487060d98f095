#pragma once
// The HDF5 library for the files of this room and for tests that write what this room refuses.

#include <hdf5.h>

#include <vector>

#include "h5/h5.hpp"

namespace trilemma::h5 {

/// Keeps HDF5 from printing, and from cleaning up at exit.
void quiet();
/// Throws LibraryError unless code >= 0.
void check(herr_t code, const std::string& what);
/// Why HDF5 could not do the last thing asked for: what the system said, or its innermost reason.
std::string reason();
/// Access to a file without HDF5's own lock.
Handle unlocked_access();
/// How values travel between a data set and memory: through a small buffer, since HDF5 clears the
/// whole of it, by default a megabyte, for every text that is read or written.
Handle transfer(hid_t dataset);
/// The type of every text: variable length, UTF-8.
Handle text_type();
/// HDF5's type of numbers in memory.
hid_t memory_type(Number type);

/// Extents as HDF5 has them.
std::vector<hsize_t> native(const std::vector<std::uint64_t>& extents);

/// Writes units and description as attributes of an object.
void describe(hid_t object, const std::string& units, const std::string& description);
/// Sets (or replaces) a scalar attribute.
void set_scalar(hid_t object, const std::string& name, hid_t type, const void* value);

/// Throws FileError about an attribute or a member of `object`, or about itself.
[[noreturn]] void refuse(hid_t object, const std::string& name, const std::string& problem);

}  // namespace trilemma::h5
