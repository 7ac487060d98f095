#pragma once
// HDF5's own types and calls, for this room and for tests that write files that this room refuses.

#include <hdf5.h>

#include <vector>

#include "h5/h5.hpp"

namespace trilemma::h5 {

/// Turns off HDF5's error messages and its clean-up at exit. May be called again.
void quiet();
/// Throws WriteError or LibraryError, naming `what`, unless code >= 0.
void check(herr_t code, const std::string& what);
/// Returns why HDF5's last call failed: the error of the operating system, or the innermost entry
/// of HDF5's error stack.
std::string reason();
/// Returns a file access list without HDF5's own lock.
Handle unlocked_access();
/// Returns a transfer list for `dataset` with a small buffer. HDF5 clears its whole buffer, by
/// default a megabyte, for every text that is read or written.
Handle transfer(hid_t dataset);
/// Returns the type of all texts that are written: variable length, UTF-8.
Handle text_type();
/// Returns HDF5's type of `type` in memory.
hid_t memory_type(Number type);

/// Returns `extents` as HDF5's integer type.
std::vector<hsize_t> native(const std::vector<std::uint64_t>& extents);

/// Writes the attributes `units` and `description` of `object`.
void describe(hid_t object, const std::string& units, const std::string& description);
/// Creates or replaces a scalar attribute.
void set_scalar(hid_t object, const std::string& name, hid_t type, const void* value);

/// Throws FileError; `name` and `problem` as in Object::refuse().
[[noreturn]] void refuse(hid_t object, const std::string& name, const std::string& problem);

}  // namespace trilemma::h5
