#pragma once
// What is looked at before anything of a file is read.

#include "h5/h5_read.hpp"

namespace trilemma::h5 {

/// What values of a type are; refuses all but the usual numbers and text.
Kind kind_of(hid_t object, const std::string& name, const Handle& type);
/// Extents of a data set all of whose values are on the disk, but for `most_missing`.
std::vector<hsize_t> stored_extents(const Handle& dataset, hsize_t most_missing = 0);

}  // namespace trilemma::h5
