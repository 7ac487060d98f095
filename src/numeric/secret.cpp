#include "numeric/secret.hpp"

#include <sodium.h>

#include <algorithm>
#include <bit>

#include "base/check.hpp"

namespace trilemma {
namespace {

static_assert(std::endian::native == std::endian::little,
              "ChaCha20 is defined on little-endian words");
static_assert(Secret::size == crypto_stream_chacha20_ietf_KEYBYTES);

// Initialises libsodium, which chooses its kernel for this processor and opens the system's
// generator.
void start_sodium() {
  if (sodium_init() < 0) throw LibraryError("libsodium: sodium_init failed");
}

}  // namespace

Secret::Secret() {
  start_sodium();
  randombytes_buf(bytes_.data(), bytes_.size());
}

Secret::Secret(std::span<const std::uint8_t, size> bytes) {
  start_sodium();
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

Secret::~Secret() { sodium_memzero(bytes_.data(), bytes_.size()); }

void Secret::keystream(const std::array<std::uint32_t, 3>& nonce, std::uint32_t first_block,
                       std::span<std::uint32_t> out) const {
  static_assert(sizeof(nonce) == crypto_stream_chacha20_ietf_NONCEBYTES);
  std::fill(out.begin(), out.end(), 0U);
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  crypto_stream_chacha20_ietf_xor_ic(bytes, bytes, out.size_bytes(),
                                     reinterpret_cast<const unsigned char*>(nonce.data()),
                                     first_block, bytes_.data());
}

}  // namespace trilemma
