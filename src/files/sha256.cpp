#include "files/sha256.hpp"

#include <fstream>

#include "core/check.hpp"

namespace trilemma {

Sha256::Sha256() { crypto_hash_sha256_init(&state_); }

void Sha256::add(std::span<const std::byte> bytes) {
  crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                            bytes.size());
}

std::string Sha256::finish() {
  unsigned char digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_final(&state_, digest);
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.finish();
}

std::string file_sha256(const std::string& path) {
  constexpr std::size_t block = std::size_t{1} << 20U;
  Sha256 sum;
  std::ifstream in(path, std::ios::binary);
  require(in.is_open(), "{}: cannot be read; check that it is there and its permissions", path);
  for (std::string piece(block, '\0'); in.good();) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum.add(std::as_bytes(std::span(piece).first(static_cast<std::size_t>(in.gcount()))));
  }
  require(!in.bad(), "{}: reading failed; check the disk", path);
  return sum.finish();
}

}  // namespace trilemma
