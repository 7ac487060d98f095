#include "tests/support/idx_files.hpp"

#include <zlib.h>

#include <stdexcept>

namespace trilemma::testing {

std::vector<std::uint8_t> idx_bytes(const std::vector<std::uint32_t>& header,
                                    std::span<const std::uint8_t> body) {
  std::vector<std::uint8_t> out;
  for (const std::uint32_t field : header)
    for (const unsigned shift : {24U, 16U, 8U, 0U})
      out.push_back(static_cast<std::uint8_t>(field >> shift));
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

std::vector<std::uint8_t> gzip(std::span<const std::uint8_t> content) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::runtime_error("deflateInit2");
  std::vector<std::uint8_t> out(deflateBound(&stream, content.size()));
  stream.next_in = const_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace trilemma::testing
