#include "data/data_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/check.hpp"

namespace trilemma {
namespace {

constexpr std::size_t packed_piece = std::size_t{1} << 18U;
constexpr std::uint64_t always_inflated = std::uint64_t{64} << 20U;
constexpr std::uint64_t most_ratio = 200;

}  // namespace

DataStream::DataStream(const std::string& file) : input_(file, data_file_words) {
  begin_.resize(format_bytes);
  begin_.resize(read_plain(begin_.data(), begin_.size()));
  if (format_of(begin_) != FileFormat::gzip) return;
  zlib_.reset(new z_stream());
  constexpr int gzip_alone = 16 + MAX_WBITS;
  if (inflateInit2(zlib_.get(), gzip_alone) != Z_OK) throw std::bad_alloc();
  packed_ = std::exchange(begin_, {});
  zlib_->next_in = reinterpret_cast<Bytef*>(packed_.data());
  zlib_->avail_in = static_cast<uInt>(packed_.size());
  begin_.resize(format_bytes);
  std::size_t got = 0;
  while (got < begin_.size()) {
    const std::size_t more = inflate_some(begin_.data() + got, begin_.size() - got);
    if (more == 0) break;
    got += more;
  }
  begin_.resize(got);
}

void DataStream::EndInflate::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

std::uint64_t DataStream::most_bytes() const {
  return is_packed() ? std::max(always_inflated, most_ratio * input_.size()) : input_.size();
}

std::size_t DataStream::read_plain(char* to, std::size_t most) {
  std::size_t done = 0;
  while (done < most) {
    const std::size_t got = input_.read(to + done, most - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

// Gives zlib the next bytes of the file once it has consumed the previous ones; returns false at
// the end.
bool DataStream::fill_packed() {
  z_stream& z = *zlib_;
  if (z.avail_in > 0) return true;
  packed_.resize(packed_piece);
  packed_.resize(input_.read(packed_.data(), packed_piece));
  z.next_in = reinterpret_cast<Bytef*>(packed_.data());
  z.avail_in = static_cast<uInt>(packed_.size());
  return z.avail_in > 0;
}

// Skips zeros that pad the last block of a tape or of a block-wise copy.
void DataStream::pass_padding() {
  z_stream& z = *zlib_;
  while (fill_packed()) {
    require(std::all_of(z.next_in, z.next_in + z.avail_in, [](Bytef byte) { return byte == 0; }),
            "{}: other bytes than gzip's follow its end; fetch it again", file());
    z.avail_in = 0;
  }
}

std::size_t DataStream::inflate_some(char* to, std::size_t most) {
  z_stream& z = *zlib_;
  z.next_out = reinterpret_cast<Bytef*>(to);
  z.avail_out = static_cast<uInt>(std::min<std::size_t>(most, std::numeric_limits<uInt>::max()));
  const uInt wanted = z.avail_out;
  while (z.avail_out == wanted) {
    if (fill_packed() && is_member_over_ && *z.next_in == 0) pass_padding();
    if (z.avail_in == 0) {
      require(is_member_over_, "{}: the file ends too early (truncated); fetch it again", file());
      return 0;
    }
    if (std::exchange(is_member_over_, false)) inflateReset(&z);
    const int code = inflate(&z, Z_NO_FLUSH);
    require(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR,
            "{}: cannot be inflated ({}); fetch it again", file(),
            z.msg != nullptr ? z.msg : "damaged");
    is_member_over_ = code == Z_STREAM_END;
  }
  inflated_ += wanted - z.avail_out;
  require(inflated_ <= most_bytes(),
          "{}: inflates to more than {} times its size, as no data do; unpack it with gunzip if "
          "it is meant",
          file(), most_ratio);
  return wanted - z.avail_out;
}

std::size_t DataStream::read(char* to, std::size_t most) {
  if (taken_ < begin_.size()) {
    const std::size_t count = std::min(most, begin_.size() - taken_);
    std::copy_n(begin_.data() + taken_, count, to);
    taken_ += count;
    return count;
  }
  return is_packed() ? inflate_some(to, most) : input_.read(to, most);
}

void DataStream::read_all(void* to, std::size_t count) {
  auto* at = static_cast<char*>(to);
  while (count > 0) {
    const std::size_t got = read(at, count);
    require(got > 0, "{}: the file ends too early (truncated); fetch it again", file());
    at += got;
    count -= got;
  }
}

LineReader DataStream::lines() {
  return {file(), [this](char* to, std::size_t most) { return read(to, most); }};
}

}  // namespace trilemma
