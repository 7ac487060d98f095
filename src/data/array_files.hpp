#pragma once
// Readers of array files: .npy, .npz, HDF5.

#include <memory>
#include <string>
#include <vector>

#include "base/input_file.hpp"
#include "data/array.hpp"

namespace trilemma {

/// A file with a single array, or with several named arrays.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  /// Returns the sorted names of the arrays; empty for a file with a single array.
  virtual std::vector<std::string> names() const = 0;
  /// Opens the named array, or the only one. Its items are read while the file is open.
  virtual RawArray open(const std::string& name) const = 0;
};

/// Opens a file by the format of its first bytes. Refuses other formats, naming them.
std::unique_ptr<ArrayFile> open_array_file(const std::string& path);

/// Opens an HDF5 file (array_hdf5.cpp).
std::unique_ptr<ArrayFile> open_hdf5_arrays(const std::string& path);

/// Reads the header of an array (format 1.0 to 3.0) from the bytes that `read` delivers, at most
/// `available`; the array reads its items from there. Refuses, naming `place`, a damaged header,
/// arrays of objects, records or complex numbers, and more items than bytes.
RawArray open_numpy(const std::string& place, const ReadBytes& read, std::uint64_t available);

}  // namespace trilemma
