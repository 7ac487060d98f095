#pragma once
// Files with arrays: .npy, .npz, HDF5.

#include <memory>
#include <string>
#include <vector>

#include "data/array.hpp"

namespace trilemma {

/// A file with one array or several under names.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  /// Names of the arrays, sorted; none of a file with one array alone.
  virtual std::vector<std::string> names() const = 0;
  /// Opens the array of this name, or the only one. Its items are read while the file is open.
  virtual RawArray open(const std::string& name) const = 0;
};

/// Opens a file by what its first bytes say. Refuses other formats by name.
std::unique_ptr<ArrayFile> open_array_file(const std::string& path);

/// HDF5 (array_hdf5.cpp).
std::unique_ptr<ArrayFile> open_hdf5_arrays(const std::string& path);

}  // namespace trilemma
