#pragma once
// The bytes of a data file, decompressed if it is packed with gzip.

#include <memory>
#include <string>

#include "base/file_format.hpp"
#include "base/line_reader.hpp"

struct z_stream_s;  // of zlib

namespace trilemma {

/// Wording of errors about data files.
inline constexpr InputWords data_file_words{"a data file",
                                            "`scripts/get-data` downloads the known ones"};

/// A data file that is read sequentially. gzip members are decompressed one after the other, up to
/// 200 times the size of the file or 64 MiB: only a malicious file expands to more. Zero bytes that
/// pad the file after its last member are ignored, as gzip does. Refuses what InputFile refuses,
/// and damaged gzip.
class DataStream {
 public:
  explicit DataStream(const std::string& file);
  DataStream(const DataStream&) = delete;
  DataStream& operator=(const DataStream&) = delete;

  const std::string& file() const { return input_.path(); }
  bool is_packed() const { return zlib_ != nullptr; }
  /// Returns the first bytes of the content, at most format_bytes, without consuming them.
  std::string_view begin() const { return begin_; }
  /// Refuses content of a known format that is not among `expected`.
  void refuse_others(std::initializer_list<FileFormat> expected, const char* wanted) const {
    refuse_foreign(file(), begin_, expected, wanted);
  }
  /// Reads the next bytes, at most `most`, and returns their number; 0 at the end.
  std::size_t read(char* to, std::size_t most);
  /// Reads exactly `count` bytes. Refuses an earlier end.
  void read_all(void* to, std::size_t count);
  /// Returns an upper bound on the number of bytes of the content.
  std::uint64_t most_bytes() const;
  /// Returns a reader of the content by lines.
  LineReader lines();

 private:
  // Frees zlib's memory, also if the constructor throws.
  struct EndInflate {
    void operator()(z_stream_s* stream) const;
  };

  std::size_t read_plain(char* to, std::size_t most);
  bool fill_packed();
  void pass_padding();
  std::size_t inflate_some(char* to, std::size_t most);

  InputFile input_;
  std::unique_ptr<z_stream_s, EndInflate> zlib_;
  std::string packed_;  ///< bytes of the file that zlib is processing
  bool is_member_over_ = false;
  std::uint64_t inflated_ = 0;
  std::string begin_;
  std::size_t taken_ = 0;  ///< number of bytes of begin_ already read
};

}  // namespace trilemma
