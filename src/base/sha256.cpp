#include "base/sha256.hpp"

#include "base/check.hpp"
#include "base/input_file.hpp"

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
  InputFile in(path);
  std::string piece(block, '\0');
  while (const std::size_t got = in.read(piece.data(), piece.size()))
    sum.add(std::as_bytes(std::span(piece).first(got)));
  return sum.finish();
}

}  // namespace trilemma
