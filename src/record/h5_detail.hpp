#pragma once
// What the two files of the HDF5 layer share.

#include "record/h5.hpp"

namespace trilemma::h5 {

/// Keeps HDF5 from printing, and from cleaning up at exit.
void quiet();
/// The type of every text: variable length, UTF-8.
Handle text_type();

}  // namespace trilemma::h5
