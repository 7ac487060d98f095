#pragma once
// Arrays in NumPy's format (.npy), which ZIP archives (.npz) hold under names.

#include "base/input_file.hpp"
#include "data/array.hpp"

namespace trilemma {

/// Reads the header of an array (format 1.0 to 3.0) whose bytes `read` delivers, `available` of
/// them at most; the array reads its items from there. Refuses, with `place`, a damaged header,
/// arrays of objects, of records or of complex numbers, and more items than there are bytes.
RawArray open_numpy(const std::string& place, const ReadBytes& read, std::uint64_t available);

}  // namespace trilemma
