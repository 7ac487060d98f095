#pragma once

#include <sodium.h>

#include <span>
#include <string>

namespace trilemma {

/// Incremental SHA-256.
class Sha256 {
 public:
  Sha256();
  /// Adds bytes to the checksum.
  void add(std::span<const std::byte> bytes);
  /// Returns the checksum in hexadecimal; no bytes may be added afterwards.
  std::string finish();

 private:
  crypto_hash_sha256_state state_;
};

/// Returns the SHA-256 of `bytes` in hexadecimal.
std::string sha256(std::span<const std::byte> bytes);
/// Returns the SHA-256 of a file's content. Throws UserError if the file cannot be read.
std::string file_sha256(const std::string& path);

}  // namespace trilemma
