#pragma once
// The bytes of a data file, inflated where it is packed with gzip.

#include <memory>
#include <string>

#include "base/file_format.hpp"
#include "base/line_reader.hpp"

struct z_stream_s;  // of zlib

namespace trilemma {

/// The words of refusals of data files.
inline constexpr InputWords data_file_words{"a data file",
                                            "`scripts/get-data` downloads the known ones"};

/// A data file that is read from its begin to its end. What gzip packs is inflated, member after
/// member, up to 200 times the size of the file or 64 MiB: only a file that is made for it inflates
/// to more. Zero bytes that pad the file after its last member are ignored, as gzip does. Refuses
/// what InputFile refuses, and damaged gzip.
class DataStream {
 public:
  explicit DataStream(const std::string& file);
  DataStream(const DataStream&) = delete;
  DataStream& operator=(const DataStream&) = delete;

  const std::string& file() const { return input_.path(); }
  bool is_packed() const { return zlib_ != nullptr; }
  /// Returns the first bytes of the content, at most format_bytes, without taking them.
  std::string_view begin() const { return begin_; }
  /// Refuses content of a known format that is not among `expected`.
  void refuse_others(std::initializer_list<FileFormat> expected, const char* wanted) const {
    refuse_foreign(file(), begin_, expected, wanted);
  }
  /// Reads the next bytes; 0 at the end.
  std::size_t read(char* to, std::size_t most);
  /// Reads `count` bytes. Refuses an end before them.
  void read_all(void* to, std::size_t count);
  /// Returns the most bytes that the content can have.
  std::uint64_t most_bytes() const;
  /// Returns the content as lines.
  LineReader lines();

 private:
  // Frees what zlib has allocated, also where the constructor throws.
  struct EndInflate {
    void operator()(z_stream_s* stream) const;
  };

  std::size_t read_plain(char* to, std::size_t most);
  bool fill_packed();
  void pass_padding();
  std::size_t inflate_some(char* to, std::size_t most);

  InputFile input_;
  std::unique_ptr<z_stream_s, EndInflate> zlib_;
  std::string packed_;  ///< bytes of the file that zlib works on
  bool is_member_over_ = false;
  std::uint64_t inflated_ = 0;
  std::string begin_;
  std::size_t taken_ = 0;  ///< of begin_
};

}  // namespace trilemma
