#pragma once
// HDF5 as values: a File is a Group, which has groups and data sets; every one of them has
// attributes. Files that are read may come from anywhere: every function checks what is there
// (kind of link, type, rank, extents, place on the disk) before it reads or allocates anything, and
// throws FileError where a file of ours would hold something else. Each value closes itself.

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

/// A file that is damaged or holds something else than it should: one sentence with the file, the
/// object and what is wrong with it.
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
/// Value of an attribute: a text of fixed or variable length or a number, in the order of the
/// kinds, or a list of texts.
using Value =
    std::variant<std::string, double, std::int64_t, std::uint64_t, std::vector<std::string>>;

/// What files, groups and data sets have in common: attributes.
class Object {
 public:
  Object() = default;
  explicit Object(Handle handle) : handle_(std::move(handle)) {}
  explicit operator bool() const { return static_cast<bool>(handle_); }
  Id id() const { return handle_.get(); }
  /// Closes now and reports failure (a full disk shows up here); or forgets the object without
  /// closing it, for files that cannot be written any more.
  void close(const std::string& what) { handle_.close(what); }
  void leak() { handle_.leak(); }

  bool has_attribute(const std::string& name) const;
  Value attribute(const std::string& name) const;
  /// The same, of the kind asked for; any number as double.
  std::string text_attribute(const std::string& name) const;
  std::vector<std::string> texts_attribute(const std::string& name) const;
  double number_attribute(const std::string& name) const;
  /// A whole number from `low` to `high`.
  std::int64_t integer_attribute(const std::string& name, std::int64_t low,
                                 std::int64_t high) const;
  /// Names of all attributes, sorted.
  std::vector<std::string> attribute_names() const;

  /// Sets (or replaces) an attribute.
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
  /// Sets text that lies in the attribute itself, as bytes of fixed length.
  void set_fixed_attribute(const std::string& name, const std::string& value) const;
  void remove_attribute(const std::string& name) const;

  /// Throws FileError about an attribute or a member ("x" or "x/y") of this object; about itself
  /// where `name` is empty.
  [[noreturn]] void refuse(const std::string& name, const std::string& problem) const;

 private:
  void set_number(const std::string& name, Number type, const void* value) const;
  Handle handle_;
};

/// Numbers, texts or bytes with one or more dimensions.
class Dataset : public Object {
 public:
  using Object::Object;

  Kind kind() const;
  /// Bytes of a value in the file.
  std::size_t value_size() const;
  /// Extents of any data set, all of whose values are on the disk.
  Extents stored_extents() const;
  /// Extents of numbers with `rank` dimensions, all of which are on the disk.
  Extents extents(std::size_t rank) const { return sparse_extents(rank, 0); }
  /// The same, where up to `most` values, or most of a large data set, may never have been written.
  Extents sparse_extents(std::size_t rank, std::uint64_t most) const;
  /// `count` rows of numbers with these extents, from `first` on.
  template <class T>
  std::vector<T> read_rows(const Extents& extents, std::uint64_t first, std::uint64_t count) const {
    std::uint64_t size = count;
    for (std::size_t i = 1; i < extents.size(); ++i) size *= extents[i];
    std::vector<T> out(static_cast<std::size_t>(size));
    read_into(extents, first, count, number_of<T>(), out.data());
    return out;
  }
  /// The same into `out`, which has room for them.
  void read_into(const Extents& extents, std::uint64_t first, std::uint64_t count, Number type,
                 void* out) const;
  /// The same as little-endian values of 64 bits of the data set's kind.
  Bytes read_wide(const Extents& extents, std::uint64_t first, std::uint64_t count) const;
  /// Number of bytes in a data set of bytes, and `count` of them from `first` on.
  std::uint64_t byte_count() const;
  Bytes read_byte_range(std::uint64_t first, std::uint64_t count) const;

  /// Appends `count` rows with extents `row`.
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

/// Named groups and data sets. A member is named "x" or "x/y" and found through hard links only:
/// what an external or a soft link names is refused, as are data that lie in other files, virtual
/// data sets and foreign filters.
class Group : public Object {
 public:
  using Object::Object;

  bool has_member(const std::string& name) const;
  bool is_group(const std::string& name) const;
  Group open_group(const std::string& name) const;
  Dataset open_dataset(const std::string& name) const;
  /// Names of all members, sorted.
  std::vector<std::string> member_names() const;

  /// Lines of a data set of text, scalar or with one dimension; lines never written are empty.
  std::vector<std::string> read_texts(const std::string& name) const;
  /// A scalar data set of text.
  std::string read_text(const std::string& name) const;
  /// A data set of numbers with one dimension and at most `most` values, as double.
  std::vector<double> read_numbers(const std::string& name, std::uint64_t most) const;

  Group create_group(const std::string& name) const;
  /// Removes a data set, or a group with all that is in it.
  void remove_member(const std::string& name) const;
  /// Writes a text with its description.
  void write_text(const std::string& name, const std::string& text,
                  const std::string& description) const {
    write_lines(name, {text}, true, description);
  }
  void write_texts(const std::string& name, const std::vector<std::string>& lines,
                   const std::string& description) const {
    write_lines(name, lines, false, description);
  }
  /// Writes a data set of fixed size with one dimension.
  template <class Values>
  void write_array(const std::string& name, const Values& values, const std::string& units,
                   const std::string& description) const {
    using T = std::decay_t<decltype(*values.data())>;
    write_array(name, number_of<T>(), values.size(), values.data(), units, description);
  }
  /// A data set that grows along its first dimension; `row` are the other dimensions, which grow
  /// where longer rows are appended (missing numbers read as NaN).
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

/// How a file is opened for reading: under HDF5's shared lock, which fails while a writer has the
/// file; without, where the caller holds the lock itself; or as a copy in memory, which shows what
/// is on the disk even to a process that has the file open.
enum class Reading { locked, unlocked, copied };

/// An open file, which is its root group.
class File : public Group {
 public:
  using Group::Group;
  /// Opens for reading.
  static File open(const std::string& path, Reading how = Reading::locked);
  /// Creates a file, or empties the one there; without HDF5's lock: the caller holds one of its
  /// own.
  static File create(const std::string& path);
  /// Creates a file where nothing is, not even a symbolic link, for its owner alone.
  static File create_private(const std::string& path);
  /// Opens for reading and writing, without HDF5's lock.
  static File change(const std::string& path);
  /// Brings to the disk what was written; `what` names it in the error.
  void flush(const std::string& what) const;
};

/// True for a regular file in HDF5 format.
bool is_hdf5(const std::string& path);

}  // namespace trilemma::h5
