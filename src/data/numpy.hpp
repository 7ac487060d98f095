#pragma once
// Arrays in NumPy's format (.npy), which ZIP archives (.npz) hold under names.

#include "base/input_file.hpp"
#include "data/array.hpp"

namespace trilemma {

/// Reads the header of an array (format 1.0 to 3.0) from the bytes that `read` delivers, at most
/// `available`; the array reads its items from there. Refuses, naming `place`, a damaged header,
/// arrays of objects, records or complex numbers, and more items than bytes.
RawArray open_numpy(const std::string& place, const ReadBytes& read, std::uint64_t available);

}  // namespace trilemma
