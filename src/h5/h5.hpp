#pragma once
// Thin checked layer over the HDF5 C library: handles that close themselves, one function per use.

#include <hdf5.h>

#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/types.hpp"

namespace trilemma::h5 {

/// An open HDF5 identifier of any kind.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  /// Throws LibraryError naming `what` if the id is invalid.
  Handle(hid_t id, Close close, const std::string& what);
  ~Handle();
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes now and reports failure (a full disk shows up here).
  void close(const std::string& what);
  /// Forgets the identifier without closing it: for files that cannot be written any more.
  void leak() { id_ = -1; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Throws LibraryError unless code >= 0.
void check(herr_t code, const std::string& what);

template <class T>
hid_t type_of();
template <>
inline hid_t type_of<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t type_of<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t type_of<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
inline hid_t type_of<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
inline hid_t type_of<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}

/// True for a regular file in HDF5 format.
bool is_hdf5(const std::string& path);
/// Creates a file, or empties the one there; without HDF5's lock: who calls holds one of his own.
Handle create_file(const std::string& path);
/// Creates a file where nothing is, not even a symbolic link, for its owner alone.
Handle create_private_file(const std::string& path);
/// Opens for reading and writing, without HDF5's lock.
Handle change_file(const std::string& path);
Handle create_group(hid_t parent, const std::string& name);
/// Takes a data set, or a group with all that is in it, out of its parent.
void remove_member(hid_t parent, const std::string& name);

/// Sets (or replaces) a scalar attribute.
void set_attribute(hid_t object, const std::string& name, const std::string& value);
void set_attribute(hid_t object, const std::string& name, hid_t type, const void* value);
template <class T>
void set_attribute(hid_t object, const std::string& name, T value) {
  set_attribute(object, name, type_of<T>(), &value);
}
/// The same for text that lies in the attribute itself, as bytes of fixed length.
void set_fixed_attribute(hid_t object, const std::string& name, const std::string& value);

/// A text of its own, with units and description.
void write_text(hid_t parent, const std::string& name, const std::vector<std::string>& lines,
                bool scalar, const std::string& description);

/// A data set that grows along its first dimension; `row` are the other dimensions, which grow
/// where longer rows are appended (missing numbers read as NaN).
Handle create_growing(hid_t parent, const std::string& name, hid_t type,
                      const std::vector<hsize_t>& row, const std::string& units,
                      const std::string& description);
/// Appends `count` rows from memory of type `type`.
void append(const Handle& dataset, hid_t type, const std::vector<hsize_t>& row, hsize_t count,
            const void* data);
/// Replaces the values of a data set of `count` values.
void overwrite(const Handle& dataset, hid_t type, hsize_t count, const void* data);
Handle create_growing_texts(hid_t parent, const std::string& name, const std::string& description);
void append_text(const Handle& dataset, const std::string& line);
Handle create_growing_bytes(hid_t parent, const std::string& name, const std::string& description);
/// A data set of fixed size, one dimension.
void write_array(hid_t parent, const std::string& name, hid_t type, hsize_t count, const void* data,
                 const std::string& units, const std::string& description);

}  // namespace trilemma::h5
