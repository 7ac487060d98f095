#pragma once
// HDF5 as values: a File is a Group, a Group has groups and data sets, and all of them have
// attributes. Files may come from anywhere, so every reading function checks the kind of link,
// type, rank, extents and storage of an object before it reads or allocates anything, and throws
// FileError if they differ from those that trilemma writes. Each value closes its object when
// destroyed.

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "base/types.hpp"
#include "h5/handle.hpp"

namespace trilemma::h5 {

/// A file that is damaged or not as expected. The message is one sentence that names the file, the
/// object and the problem.
class FileError : public UserError {
  using UserError::UserError;
};

/// Extents of a data set, or of a row of it.
using Extents = std::vector<std::uint64_t>;

/// Types of numbers in memory.
enum class Number { f64, f32, i64, u64, u8 };
template <class T>
inline constexpr bool is_number =
    std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::uint8_t>;
/// Returns the Number of the type T.
template <class T>
constexpr Number number_of() {
  static_assert(is_number<T>);
  if constexpr (std::is_same_v<T, double>) return Number::f64;
  if constexpr (std::is_same_v<T, float>) return Number::f32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Number::i64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Number::u64;
  return Number::u8;
}

/// Kind of the values of a data set or an attribute.
enum class Kind { text, floating, integer, natural };
/// Value of an attribute: a text or a number, with the alternatives in the order of Kind, or a list
/// of texts.
using Value =
    std::variant<std::string, double, std::int64_t, std::uint64_t, std::vector<std::string>>;

/// A file, group or data set, with its attributes.
class Object {
 public:
  Object() = default;
  explicit Object(Handle handle) : handle_(std::move(handle)) {}
  explicit operator bool() const { return static_cast<bool>(handle_); }
  Id id() const { return handle_.get(); }
  /// Closes the object now. Throws WriteError or LibraryError, naming `what`, if this fails: HDF5
  /// may write, and meet a full disk, only here.
  void close(const std::string& what) { handle_.close(what); }
  /// Forgets the object without closing it, for files that can no longer be written.
  void leak() { handle_.leak(); }

  bool has_attribute(const std::string& name) const;
  /// Returns the value of an attribute of any kind.
  Value attribute(const std::string& name) const;
  /// Return the value of an attribute of one kind; number_attribute() converts any number to
  /// double.
  std::string text_attribute(const std::string& name) const;
  std::vector<std::string> texts_attribute(const std::string& name) const;
  double number_attribute(const std::string& name) const;
  /// Returns the value of an attribute that is a whole number from `low` to `high`.
  std::int64_t integer_attribute(const std::string& name, std::int64_t low,
                                 std::int64_t high) const;
  /// Returns the names of all attributes, sorted.
  std::vector<std::string> attribute_names() const;

  /// Create or replace an attribute.
  void set_attribute(const std::string& name, const std::string& value) const;
  void set_attribute(const std::string& name, const char* value) const {
    set_attribute(name, std::string(value));
  }
  void set_attribute(const std::string& name, const std::vector<std::string>& values) const;
  template <class T>
  requires is_number<T>
  void set_attribute(const std::string& name, T value) const {
    set_number(name, number_of<T>(), &value);
  }
  void set_attribute(const std::string& name, const Value& value) const;
  /// Creates or replaces a text of fixed length, whose bytes lie in the attribute itself.
  void set_fixed_attribute(const std::string& name, const std::string& value) const;
  void remove_attribute(const std::string& name) const;

  /// Throws FileError for `problem` with the attribute ("@x") or the member ("x" or "x/y") `name`
  /// of this object, or with the object itself if `name` is empty.
  [[noreturn]] void refuse(const std::string& name, const std::string& problem) const;

 private:
  void set_number(const std::string& name, Number type, const void* value) const;
  Handle handle_;
};

/// A data set: a scalar, or numbers or texts with one or more dimensions.
class Dataset : public Object {
 public:
  using Object::Object;

  Kind kind() const;
  /// Returns whether the values are numbers of 16 bits (binary16 of IEEE 754), which kind()
  /// refuses.
  bool is_half() const;
  /// Returns whether the values are booleans as h5py writes them, which kind() refuses.
  bool is_boolean() const;
  /// Returns the number of bytes of a value in the file.
  std::size_t value_size() const;
  /// Returns the extents of a data set of any kind. Throws FileError if values are not on the disk.
  Extents stored_extents() const;
  /// Returns the extents of a data set of numbers with `rank` dimensions. Throws FileError if
  /// values are not on the disk.
  Extents extents(std::size_t rank) const { return sparse_extents(rank, 0); }
  /// Returns the extents of a data set of numbers with `rank` dimensions, of which up to `most`
  /// values, or most of a large data set, may never have been written.
  Extents sparse_extents(std::size_t rank, std::uint64_t most) const;
  /// Returns `count` rows from row `first` on; `extents` are those of the data set.
  template <class T>
  std::vector<T> read_rows(const Extents& extents, std::uint64_t first, std::uint64_t count) const {
    std::uint64_t size = count;
    for (std::size_t i = 1; i < extents.size(); ++i) size *= extents[i];
    std::vector<T> out(static_cast<std::size_t>(size));
    read_into(extents, first, count, number_of<T>(), out.data());
    return out;
  }
  /// Reads these rows as numbers of `type` into `out`, which must have room for them.
  void read_into(const Extents& extents, std::uint64_t first, std::uint64_t count, Number type,
                 void* out) const;
  /// Returns these rows as little-endian values of 64 bits of the data set's kind.
  Bytes read_wide(const Extents& extents, std::uint64_t first, std::uint64_t count) const;
  /// Returns the number of bytes in a data set of bytes.
  std::uint64_t byte_count() const;
  /// Returns `count` bytes from byte `first` on.
  Bytes read_byte_range(std::uint64_t first, std::uint64_t count) const;

  /// Appends `count` rows from `data`; `row` are the extents of one row.
  template <class T>
  void append(const Extents& row, std::size_t count, const T* data) const {
    append(row, count, number_of<T>(), data);
  }
  void append(const Extents& row, std::size_t count, Number type, const void* data) const;
  void append_text(const std::string& line) const;
  void append_bytes(std::span<const std::byte> bytes) const {
    append({}, bytes.size(), Number::u8, bytes.data());
  }
  /// Replaces all values.
  template <class T>
  void overwrite(std::span<const T> values) const {
    overwrite(values.size(), number_of<T>(), values.data());
  }

 private:
  void overwrite(std::size_t count, Number type, const void* data) const;
};

/// A group. Its members, groups and data sets, are named "x" or "x/y". Members behind soft or
/// external links, data sets stored in other files, virtual data sets and unknown filters are
/// refused.
class Group : public Object {
 public:
  using Object::Object;

  bool has_member(const std::string& name) const;
  bool is_group(const std::string& name) const;
  Group open_group(const std::string& name) const;
  Dataset open_dataset(const std::string& name) const;
  /// Returns whether a member is behind a soft or external link.
  bool is_link(const std::string& name) const;
  /// Returns the name of the member that `name` means after soft links within the file, which may
  /// be missing. Throws FileError for links to other files. For groups that are files.
  std::string followed(const std::string& name) const;
  /// Returns the names of all members, sorted.
  std::vector<std::string> member_names() const;

  /// Returns the lines of a data set of text, scalar or with one dimension. Lines that were never
  /// written are empty.
  std::vector<std::string> read_texts(const std::string& name) const;
  /// Returns the text of a scalar data set.
  std::string read_text(const std::string& name) const;
  /// Returns the values of a data set of numbers with one dimension. Throws FileError if it has
  /// more than `most` values.
  std::vector<double> read_numbers(const std::string& name, std::uint64_t most) const;

  Group create_group(const std::string& name) const;
  /// Removes a data set, or a group with all its members.
  void remove_member(const std::string& name) const;
  /// Writes a scalar data set of text.
  void write_text(const std::string& name, const std::string& text,
                  const std::string& description) const {
    write_lines(name, {text}, true, description);
  }
  /// Writes a data set of text with one dimension.
  void write_texts(const std::string& name, const std::vector<std::string>& lines,
                   const std::string& description) const {
    write_lines(name, lines, false, description);
  }
  /// Writes a data set of numbers with one dimension, of fixed size.
  template <class Values>
  void write_array(const std::string& name, const Values& values, const std::string& units,
                   const std::string& description) const {
    using T = std::decay_t<decltype(*values.data())>;
    write_array(name, number_of<T>(), values.size(), values.data(), units, description);
  }
  /// Creates a data set that grows along its first dimension. `row` are the other extents, which
  /// grow if longer rows are appended; missing numbers then read as NaN.
  template <class T>
  Dataset create_growing(const std::string& name, const Extents& row, const std::string& units,
                         const std::string& description) const {
    return create_growing(name, number_of<T>(), row, units, description);
  }
  Dataset create_growing(const std::string& name, Number type, const Extents& row,
                         const std::string& units, const std::string& description) const;
  Dataset create_growing_texts(const std::string& name, const std::string& description) const;
  Dataset create_growing_bytes(const std::string& name, const std::string& description) const;

 private:
  void write_lines(const std::string& name, const std::vector<std::string>& lines, bool scalar,
                   const std::string& description) const;
  void write_array(const std::string& name, Number type, std::size_t count, const void* data,
                   const std::string& units, const std::string& description) const;
};

/// How a file is opened for reading.
enum class Reading {
  locked,    ///< under HDF5's shared lock; fails while a writer has the file open
  unlocked,  ///< without HDF5's lock, which the caller holds or does not need
  copied     ///< as a copy in memory, even if this process has the file open for writing
};

/// An open file, which is its root group.
class File : public Group {
 public:
  using Group::Group;
  /// Opens a file for reading.
  static File open(const std::string& path, Reading how = Reading::locked);
  /// Creates a file, or empties an existing one. Takes no lock of HDF5: the caller holds a
  /// WriteLock.
  static File create(const std::string& path);
  /// Creates a file that only its owner can read. Fails if anything exists at `path`, also a
  /// symbolic link.
  static File create_private(const std::string& path);
  /// Opens a file for reading and writing, without HDF5's lock.
  static File change(const std::string& path);
  /// Flushes to the disk. Throws WriteError or LibraryError, naming `what`, if this fails.
  void flush(const std::string& what) const;
};

/// Returns whether `path` is a regular file in HDF5 format.
bool is_hdf5(const std::string& path);

}  // namespace trilemma::h5
