#pragma once

#include <sodium.h>

#include <span>
#include <string>

namespace trilemma {

/// SHA-256 of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const std::byte> bytes);
  /// In hexadecimal; ends the sum.
  std::string finish();

 private:
  crypto_hash_sha256_state state_;
};

/// SHA-256 of some bytes, in hexadecimal.
std::string sha256(std::span<const std::byte> bytes);
/// SHA-256 of a file's content. Refuses a file that cannot be read.
std::string file_sha256(const std::string& path);

}  // namespace trilemma
