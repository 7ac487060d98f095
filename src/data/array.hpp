#pragma once
// Arrays of numbers as files hold them, and what becomes of them: rows of features, labels, users.

#include <functional>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace trilemma {

/// What an item of an array is.
enum class ItemKind { natural, integer, floating, boolean, bytes, unicode };

/// An array whose header was read and checked against the size of its file; its items follow.
struct RawArray {
  std::string place;  ///< file, and name in it, for messages
  ItemKind kind = ItemKind::natural;
  std::size_t item = 1;  ///< bytes of an item
  bool is_big_endian = false;
  bool is_fortran = false;  ///< the first index is the fastest
  std::vector<std::size_t> shape;
  std::size_t held = 0;  ///< bytes of its items that are in memory already
  std::function<void(void* to, std::size_t bytes)> read;  ///< the next bytes of its items

  std::size_t records() const { return shape.empty() ? 0 : shape[0]; }
  /// Returns the values of a record.
  std::size_t width() const;
  std::size_t bytes() const { return records() * width() * item; }
  bool is_text() const { return kind == ItemKind::bytes || kind == ItemKind::unicode; }
  /// "20000 x 512" for messages.
  std::string shape_in_words() const;
};

/// The order of the indices of an array of colour images: records, height, width, colours or
/// records, colours, height, width.
enum class Axes { unknown, nhwc, nchw };

/// Returns the place in a record, plane after plane, of each of its values in C order, and notes
/// what follows for problem.colours. Refuses, with the key, more than four dimensions, and colour
/// images where `axes` is unknown and does not follow from the shape.
std::vector<std::size_t> places_in_record(const RawArray& array, Axes axes,
                                          std::vector<std::string>& notes);

/// Whether numbers of 8 bits stay bytes, as classifiers take them, or become `real`, byte / 255.
enum class ByteValues { kept, scaled };

/// Reads the first `most` records, their values in these places: bytes stay bytes where `bytes`
/// says so, all other numbers become `real`. Counts what scaling needs, and in `lost` the numbers
/// nearer to 0 than a `real` can be, which become 0. Refuses text, NaN, and numbers that are not
/// finite as `real`, with record and value.
DenseRows read_rows(const RawArray& array, const std::vector<std::size_t>& places, std::size_t most,
                    std::size_t* lost = nullptr, ByteValues bytes = ByteValues::kept);

/// Reads one value by record. Refuses more than one dimension (but for n x 1).
std::vector<double> read_numbers(const RawArray& array);
/// The same as words: whole numbers exactly, text without the zeros behind it.
std::vector<std::string> read_words(const RawArray& array);

/// Returns item number `index` of these bytes as a number.
double item_value(const RawArray& array, const unsigned char* items, std::size_t index);

}  // namespace trilemma
