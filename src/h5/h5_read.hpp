#pragma once
// Reading HDF5 files that may come from anywhere. Every function looks at what is there (kind of
// link, type, rank, extents, place on the disk) before it reads or allocates anything, and throws
// FileError where that is not what a file of ours has.

#include <cstdint>
#include <variant>

#include "h5/h5.hpp"

namespace trilemma::h5 {

/// A file that is damaged or holds something else than it should: one sentence with the file, the
/// object and what is wrong with it.
class FileError : public UserError {
  using UserError::UserError;
};

/// Throws FileError about an attribute or a member of `object` ("x" or "x/y"); about itself where
/// `name` is empty.
[[noreturn]] void refuse(hid_t object, const std::string& name, const std::string& problem);

/// Opens for reading: under HDF5's shared lock, which fails while a writer has the file; without,
/// for who holds the lock himself; or a copy in memory, which shows what is on the disk even to a
/// process that has the file open.
enum class Reading { locked, unlocked, copied };
Handle open_file(const std::string& path, Reading how = Reading::locked);

/// Members by name ("x" or "x/y"), through hard links only: what an external or a soft link names
/// is refused, as are data that lie in other files, virtual data sets and foreign filters.
bool has_member(hid_t parent, const std::string& name);
bool is_group(hid_t parent, const std::string& name);
Handle open_group(hid_t parent, const std::string& name);
Handle open_dataset(hid_t parent, const std::string& name);

/// What the values of a data set or an attribute are.
enum class Kind { text, floating, integer, natural };
/// A scalar attribute: text of fixed or variable length, or a number; in the order of the kinds.
using Value = std::variant<std::string, double, std::int64_t, std::uint64_t>;
bool has_attribute(hid_t object, const std::string& name);
Value attribute(hid_t object, const std::string& name);
/// The same, of the kind asked for; any number as double.
std::string text_attribute(hid_t object, const std::string& name);
double number_attribute(hid_t object, const std::string& name);
/// A whole number from `low` to `high`.
std::int64_t integer_attribute(hid_t object, const std::string& name, std::int64_t low,
                               std::int64_t high);
/// Names of all attributes or members of an object, sorted.
std::vector<std::string> attribute_names(hid_t object);
std::vector<std::string> member_names(hid_t group);

/// Lines of a data set of text, scalar or with one dimension; lines never written are empty.
std::vector<std::string> read_texts(hid_t parent, const std::string& name);
/// A scalar data set of text.
std::string read_text(hid_t parent, const std::string& name);

/// Extents of a data set of numbers with `rank` dimensions, whose values are on the disk.
std::vector<hsize_t> extents(const Handle& dataset, std::size_t rank);
/// The same, where up to `most` values, or most of a large data set, may never have been written.
std::vector<hsize_t> sparse_extents(const Handle& dataset, std::size_t rank, hsize_t most);
/// A data set of numbers with one dimension and at most `most` values, as double.
std::vector<double> read_numbers(hid_t parent, const std::string& name, hsize_t most);
/// `count` rows of a data set of numbers with these extents, from `first` on, as `type`.
void read_rows(const Handle& dataset, const std::vector<hsize_t>& extents, hsize_t first,
               hsize_t count, hid_t type, void* out);
template <class T>
std::vector<T> read_rows(const Handle& dataset, const std::vector<hsize_t>& extents, hsize_t first,
                         hsize_t count) {
  hsize_t size = count;
  for (std::size_t i = 1; i < extents.size(); ++i) size *= extents[i];
  std::vector<T> out(static_cast<std::size_t>(size));
  read_rows(dataset, extents, first, count, type_of<T>(), out.data());
  return out;
}
Kind kind(const Handle& dataset);
/// Bytes of a value in the file.
std::size_t value_size(const Handle& dataset);

/// Number of bytes in a data set of bytes.
hsize_t byte_count(const Handle& dataset);
/// `count` bytes of it, from `first` on.
Bytes read_byte_range(const Handle& dataset, hsize_t first, hsize_t count);

}  // namespace trilemma::h5
