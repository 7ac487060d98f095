#pragma once
// Arrays of numbers as stored in files, and their conversion to rows of features, labels and users.

#include <functional>
#include <string>
#include <vector>

#include "data/dataset.hpp"

namespace trilemma {

/// Type of the items of an array.
enum class ItemKind { natural, integer, floating, boolean, bytes, unicode };

/// An array whose header has been read and checked against the size of its file; its items follow.
struct RawArray {
  std::string place;  ///< file, and name of the array in it, for messages
  ItemKind kind = ItemKind::natural;
  std::size_t item = 1;  ///< bytes per item
  bool is_big_endian = false;
  bool is_fortran = false;  ///< the first index varies fastest
  std::vector<std::size_t> shape;
  std::size_t held = 0;  ///< bytes of its items that are already in memory
  std::function<void(void* to, std::size_t bytes)> read;  ///< reads the next bytes of its items

  std::size_t records() const { return shape.empty() ? 0 : shape[0]; }
  /// Returns the number of values of a record.
  std::size_t width() const;
  std::size_t bytes() const { return records() * width() * item; }
  bool is_text() const { return kind == ItemKind::bytes || kind == ItemKind::unicode; }
  /// Returns the shape for messages: "20000 x 512".
  std::string shape_in_words() const;
};

/// Order of the indices of an array of colour images: records, height, width, colours or records,
/// colours, height, width.
enum class Axes { unknown, nhwc, nchw };

/// Returns, for each value of a record in C order, its position in the record when planes follow
/// each other. Adds a note on the resulting problem.colours to `notes`. Refuses, naming the key,
/// more than four dimensions, and colour images if `axes` is unknown and does not follow from the
/// shape.
std::vector<std::size_t> places_in_record(const RawArray& array, Axes axes,
                                          std::vector<std::string>& notes);

/// Whether 8-bit numbers stay bytes, as classifiers take them, or become `real`, byte / 255.
enum class ByteValues { kept, scaled };

/// Returns the first `most` records with their values moved to `places`: bytes stay bytes if
/// `bytes` says so, all other numbers become `real`. Counts the sums that scaling needs, and in
/// `lost` the nonzero numbers that become 0 as `real`. Refuses text, NaN, and numbers that are not
/// finite as `real`, naming record and value.
DenseRows read_rows(const RawArray& array, const std::vector<std::size_t>& places, std::size_t most,
                    std::size_t* lost = nullptr, ByteValues bytes = ByteValues::kept);

/// Returns one value per record. Refuses more than one dimension (except n x 1).
std::vector<double> read_numbers(const RawArray& array);
/// Returns one text per record: integers exactly, text without trailing zero bytes. Refuses the
/// same.
std::vector<std::string> read_words(const RawArray& array);

/// Returns item number `index` of the bytes `items` as a number.
double item_value(const RawArray& array, const unsigned char* items, std::size_t index);

}  // namespace trilemma
